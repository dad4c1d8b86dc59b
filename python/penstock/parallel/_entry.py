"""One parameter or buffer, its copies, and what is known about changes of either."""

import torch

from ._machine import is_dense


class Entry:
    """An original and a copy for each device but the first."""

    def __init__(self, original, devices):
        self.original = original
        self.copies = [None] * devices
        self._versions = [None] * devices  # of the copies when they were sent; forward may have changed them since
        self._generations = [0] * devices
        self._generation = self._counted = 0  # of the last change, and of the last one that PyTorch counts
        self._key = None
        self._dense = None
        self._snapshot = None  # of a tensor on a GPU: its copies are elsewhere
        self.checksums = None  # instead, where a launch compares

    def is_buffer(self):
        return not isinstance(self.original, torch.nn.Parameter)

    def is_dense(self):
        key = self._key_now()[1:]
        if self._dense is None or self._dense[0] != key:
            self._dense = key, is_dense(self.original)
        return self._dense[1]

    def moved(self, keep=True):
        """Whether the original was changed in a way that PyTorch counts; notes it if so."""
        if self._key == self._key_now():
            return False
        self.note(keep)
        return True

    def was_touched(self, i):
        """Whether the copy was changed since it was sent."""
        return self.copies[i]._version != self._versions[i]

    def _key_now(self):
        tensor = self.original
        if tensor.layout != torch.strided:
            return (object(),)  # unlike any other: contents of sparse tensors change unseen, and cannot be compared
        version = -1 if tensor.is_inference() else tensor._version
        return version, tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()

    def note(self, keep=True, counted=True):
        """From now on the copies are stale.

        Args
        ----
        keep : bool
            Whether what they will get is remembered.
        counted : bool
            Whether autograd shall know.
        """
        self._key = self._key_now()
        self._generation += 1
        if counted:
            self._counted = self._generation
        if keep:
            self._snapshot = self.original.detach().clone() if self.original.is_cuda else None

    def forget(self):
        """What was sent is not remembered."""
        self._snapshot = None

    def references(self):
        """What should have the contents of the original if nothing has changed, all on its device."""
        if self._snapshot is not None:
            return [self._snapshot]
        return [copy for i, copy in enumerate(self.copies) if copy is not None and not self.is_stale(i)]

    def is_stale(self, i):
        copy = self.copies[i]
        return copy is None or self._generations[i] != self._generation or copy._version != self._versions[i]

    def counts(self, i):
        """Whether sending the stale copy is a change for autograd."""
        return self._generations[i] < self._counted or self.was_touched(i)

    def make_room(self, i, device):
        """Makes a copy where there is none that can be written into; whether it did."""
        tensor, copy = self.original, self.copies[i]
        if (
            copy is not None
            and tensor.layout == torch.strided
            and (copy.dtype, copy.shape) == (tensor.dtype, tensor.shape)
            and (copy.stride() == tensor.stride() or not self.is_dense())
        ):
            return False
        self.copies[i] = tensor.detach().to(device, non_blocking=True, copy=True)
        self._versions[i] = self.copies[i]._version
        return True

    def sent(self, i):
        self._generations[i] = self._generation
        self._versions[i] = self.copies[i]._version


def with_other_contents(entries):
    """Those whose contents differ from what was sent, or from any copy, although no counter has moved."""
    pairs = [(entry, one) for entry in entries for one in entry.references()]
    if not pairs:
        return []
    if pairs[0][0].original.is_cuda:
        differ = torch.stack([(entry.original != one).any() for entry, one in pairs]).tolist()
    else:
        differ = [not torch.equal(entry.original, one) for entry, one in pairs]
    found = {id(entry): entry for (entry, _), other in zip(pairs, differ, strict=True) if other}
    return list(found.values())

"""Copies of parameters and buffers on other devices, renewed when the originals have changed."""

import torch

from ._devices import memory_of

_BUCKET = 25 << 20  # bytes of gradients that travel together, as in DistributedDataParallel


class Weights:
    """The tensors of one module and their copies on all devices but the first, which uses the originals.

    A changed tensor is known by its version counter, its memory, element type or shape. Edits through `.data` move no
    counter, so contents are compared, too, where nothing else has changed.
    """

    def __init__(self, devices, compare_contents):
        self._devices = devices
        self._compare_contents = compare_contents
        self._entries = {}  # by id of the original

    def sync(self, tensors, count):
        """Brings the copies on the first `count` devices up to date with `tensors`."""
        known = self._entries
        self._entries = {}
        for tensor in tensors:
            entry = known.get(id(tensor))
            self._entries[id(tensor)] = entry or _Entry(tensor, len(self._devices))
        entries = list(self._entries.values())
        with torch.inference_mode(False), torch.no_grad():
            quiet = [entry for entry in entries if not entry.moved()]
            if self._compare_contents:
                for entry in _with_other_contents(quiet):
                    entry.note()
            for i in range(1, count):
                self._renew(i, [entry for entry in entries if entry.is_stale(i)])

    def _renew(self, i, entries):
        device = memory_of(self._devices[i])
        for entry in entries:
            entry.make_room(i, device)
        if entries:
            torch._foreach_copy_(
                [entry.copies[i] for entry in entries], [entry.original for entry in entries], non_blocking=True
            )
        for entry in entries:
            entry.sent(i)

    def on(self, i):
        """What stands for the originals on device `i`: a dict by their `id`. In grad mode gradients flow to them."""
        if i == 0:
            return {}
        made = {key: entry.copies[i] for key, entry in self._entries.items()}
        if torch.is_grad_enabled():
            trained = [entry for entry in self._entries.values() if entry.original.requires_grad]
            for bucket in _buckets(trained):
                aliases = _Bridge.apply([entry.copies[i] for entry in bucket], *[entry.original for entry in bucket])
                made.update({id(entry.original): alias for entry, alias in zip(bucket, aliases, strict=True)})
        return made

    def average(self, buffers, count):
        """Makes each floating-point buffer the mean of what the first `count` replicas have made of it."""
        with torch.no_grad():
            for buffer in buffers:
                if buffer.is_floating_point():
                    copies = self._entries[id(buffer)].copies[1:count]
                    total = sum((copy.to(buffer.device) for copy in copies), buffer.clone())
                    buffer.copy_(total / count)


class _Entry:
    """One parameter or buffer."""

    def __init__(self, original, devices):
        self.original = original
        self.copies = [None] * devices
        self._versions = [None] * devices  # of the copies when they were sent; forward may have changed them since
        self._generations = [0] * devices
        self._generation = 0
        self._key = None
        self.snapshot = None  # of a tensor on a GPU: its copies are elsewhere

    def moved(self):
        """Whether the original was changed in a way that PyTorch counts; notes it if so."""
        if self._key == self._key_now():
            return False
        self.note()
        return True

    def _key_now(self):
        tensor = self.original
        version = -1 if tensor.is_inference() else tensor._version
        return version, tensor.data_ptr(), tensor.dtype, tensor.shape

    def note(self):
        """From now on the copies are stale."""
        self._key = self._key_now()
        self._generation += 1
        self.snapshot = self.original.detach().clone() if self.original.is_cuda else None

    def reference(self):
        """What the contents were when they were last sent, on the original's device; None when that is not known."""
        if self.snapshot is not None:
            return self.snapshot
        return next((copy for i, copy in enumerate(self.copies) if copy is not None and not self.is_stale(i)), None)

    def is_stale(self, i):
        copy = self.copies[i]
        return copy is None or self._generations[i] != self._generation or copy._version != self._versions[i]

    def make_room(self, i, device):
        tensor, copy = self.original, self.copies[i]
        if copy is None or (copy.dtype, copy.shape) != (tensor.dtype, tensor.shape):
            self.copies[i] = torch.empty_like(tensor, device=device, requires_grad=False)

    def sent(self, i):
        self._generations[i] = self._generation
        self._versions[i] = self.copies[i]._version


def _with_other_contents(entries):
    """Those whose contents differ from what was sent although no counter has moved."""
    pairs = [(entry, entry.reference()) for entry in entries]
    pairs = [(entry, reference) for entry, reference in pairs if reference is not None]
    if not pairs:
        return []
    if not pairs[0][0].original.is_cuda:
        return [entry for entry, reference in pairs if not torch.equal(entry.original, reference)]
    differ = torch.stack([(entry.original != reference).any() for entry, reference in pairs]).tolist()
    return [entry for (entry, _), one in zip(pairs, differ, strict=True) if one]


def _buckets(entries):
    """Entries in groups of about `_BUCKET` bytes, the last layers, whose gradients come first, in the first group."""
    bucket, size = [], 0
    for entry in reversed(entries):
        bucket.append(entry)
        size += entry.original.numel() * entry.original.element_size()
        if size >= _BUCKET:
            yield bucket
            bucket, size = [], 0
    if bucket:
        yield bucket


class _Bridge(torch.autograd.Function):
    """Copies that pass for their originals: no data moves forward, gradients travel to the originals' device."""

    @staticmethod
    def forward(ctx, copies, *originals):
        ctx.set_materialize_grads(False)
        ctx.device = originals[0].device
        return tuple(copy.detach() for copy in copies)

    @staticmethod
    def backward(ctx, *grads):
        return None, *(None if grad is None else grad.to(ctx.device, non_blocking=True) for grad in grads)

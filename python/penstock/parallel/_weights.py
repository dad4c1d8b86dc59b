"""Copies of parameters and buffers on other devices, renewed when the originals have changed."""

import torch

from ._bridge import Bridge, buckets
from ._devices import memory_of
from ._machine import is_dense
from ._signature import Unfit


class Weights:
    """The tensors of one module and their copies on all devices but the first, which uses the originals.

    A changed tensor is known by its version counter, its memory, element type or shape. Edits through `.data` move no
    counter, so contents are compared, too. On GPUs that reach each other one launch on the first compares checksums of
    everything with those of what was sent last and writes what differs into the others' memory; the host waits for
    nothing.

    Args
    ----
    machine : Machine or None
        Of these devices, where they can be played on.
    """

    def __init__(self, devices, compare_contents, machine=None):
        self._devices = devices
        self._compare_contents = compare_contents
        self._machine = machine
        self._entries = {}  # by id of the original
        self._launch, self._launched = None, None  # what sends all that has changed, and the places that it knows
        self.rows = []  # of the launch
        self._forced = {}
        self._left = {}  # by their lists' `id`: launches that graphs have left for whoever compares next
        self.changes = 0  # counted ones that were sent outside of graphs
        self.generation = 0  # of the places of originals and copies

    def sync(self, tensors, count):
        """Brings the copies on the first `count` devices up to date with `tensors`."""
        known = self._entries
        self._entries = {}
        for tensor in tensors:
            entry = known.get(id(tensor))
            self._entries[id(tensor)] = entry or _Entry(tensor, len(self._devices))
        entries = list(self._entries.values())
        if self._machine is not None and self._reachable(entries):
            self._sync_by_launch(entries)
            return
        with torch.inference_mode(False), torch.no_grad():
            if self._launched is not None:  # whose checksums say nothing here
                self._launched = None
                for entry in entries:
                    entry.note()
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

    def _reachable(self, entries):
        """Whether a launch can copy all of them, byte for byte."""
        return all(entry.is_dense() for entry in entries)

    def _sync_by_launch(self, entries):
        with torch.inference_mode(False), torch.no_grad():
            self._machine.play()
            moved = [entry for entry in entries if entry.moved(keep=False)]
            others = range(1, len(self._devices))
            for entry in entries:
                for i in others:
                    entry.make_room(i, memory_of(self._devices[i]))
            touched = [entry for entry in entries if any(entry.was_touched(i) for i in others)]
            for entry in moved:
                torch.autograd.graph.increment_version(entry.copies[1:])
            self._machine.first_waits()
            self._place(entries)
            self.settle()
            if touched:
                self.forcing([entry.original for entry in touched])()
            self._launch()
            self._machine.others_wait()
            self.changes += bool(moved)
            for entry in entries:
                for i in others:
                    entry.sent(i)

    def _place(self, entries):
        """Makes the launch anew where something lies elsewhere than before: it will send everything."""
        places = [(entry.original.data_ptr(), *(copy.data_ptr() for copy in entry.copies[1:])) for entry in entries]
        if places == self._launched:
            return
        self._launched, self._forced = places, {}
        self._left.clear()  # everything will be sent
        self.generation += 1
        for entry in entries:
            entry.snapshot, entry.checksums = None, self._machine.checksums_of(entry.original)
        self.rows = [(entry.original, entry.checksums, entry.copies[1:]) for entry in entries]
        self._launch = self._machine.renewal(0, self.rows)

    def leave(self, launches):
        """Graphs change copies, which nobody else can see: these are queued before originals are compared again.

        Args
        ----
        launches : list of Launch
            They note what copies are now, or send what originals are.
        """
        if launches:
            self._left[id(launches)] = launches

    def settle(self, own=()):
        """Queues what has been left, but for one's `own`."""
        self._left.pop(id(own), None)
        if not self._left:
            return
        self._machine.first_waits()
        for launches in self._left.values():
            for launch in launches:
                launch()
        self._machine.first_waits()
        self._left.clear()

    def prepare(self, tensors):
        """Before graphs are captured that read the copies. They are good as long as `generation` stays."""
        entries = [self._entries.get(id(one)) for one in tensors]
        if None in entries or not self._reachable(entries):
            raise Unfit("some weights lie in memory with gaps")
        if set(self._entries) != {id(one) for one in tensors} or self._launch is None:
            raise Unfit("weights have changed since the last call")

    def noting(self, tensors, i):
        """A launch on device `i` after which what its copies are now is taken for what was sent."""
        entries = [self._entries[id(one)] for one in tensors]
        return self._machine.renewal(i, [(entry.copies[i], entry.checksums, []) for entry in entries])

    def forcing(self, tensors):
        """A launch on the first device that sends these in any case: what replicas have made of them is lost."""
        key = tuple(map(id, tensors))
        if key not in self._forced:
            entries = [self._entries[one] for one in key]
            rows = [(entry.original, None, entry.copies[1:]) for entry in entries]
            self._forced[key] = self._machine.renewal(0, rows)
        return self._forced[key]

    def aliases(self, i):
        """What stands for the originals in a graph of device `i`: parameters without history, buffers themselves."""
        return {
            key: one if entry.is_buffer() else one.detach()
            for key, entry in self._entries.items()
            for one in [entry.original if i == 0 else entry.copies[i]]
        }

    def on(self, i):
        """What stands for the originals on device `i`: a dict by their `id`. In grad mode gradients flow to them."""
        if i == 0:
            return {}
        made = {key: entry.copies[i] for key, entry in self._entries.items()}
        if torch.is_grad_enabled():
            trained = [entry for entry in self._entries.values() if entry.original.requires_grad]
            for bucket in buckets(trained):
                aliases = Bridge.apply([entry.copies[i] for entry in bucket], *[entry.original for entry in bucket])
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
        self._dense = None
        self.snapshot = None  # of a tensor on a GPU: its copies are elsewhere
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
        """Whether somebody has changed the copy since it was sent."""
        return self.copies[i]._version != self._versions[i]

    def _key_now(self):
        tensor = self.original
        version = -1 if tensor.is_inference() else tensor._version
        return version, tensor.data_ptr(), tensor.dtype, tensor.shape

    def note(self, keep=True):
        """From now on the copies are stale; `keep`: what they will get is remembered."""
        self._key = self._key_now()
        self._generation += 1
        if keep:
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
        if (
            copy is not None
            and (copy.dtype, copy.shape) == (tensor.dtype, tensor.shape)
            and (copy.stride() == tensor.stride() or not self.is_dense())
        ):
            return
        self.copies[i] = torch.empty_like(tensor, device=device, requires_grad=False)
        self._versions[i] = self.copies[i]._version

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

"""Copies of parameters and buffers on other devices, renewed when the originals have changed."""

import torch

from ._bridge import Bridge, buckets
from ._contents import Unfit
from ._devices import memory_of
from ._entry import Entry, with_other_contents


class Weights:
    """The tensors of one module and their copies on all devices but the first, which uses the originals.

    A changed tensor is known by its version counter, its memory, element type, shape or strides. Edits through `.data`
    move no counter, so contents are compared, too. On GPUs that reach each other one launch on the first compares
    checksums of everything with those of what was sent last and writes what differs into the others' memory; the host
    waits for nothing. Kernels of batch normalisation move no counter either, on any device: after training, buffers are
    sent anyway.

    Copies count as changed for autograd where PyTorch counts the change, and not otherwise, as with the originals.

    Args
    ----
    machine : Machine or None
        Of these devices, where they can be replayed on.
    """

    def __init__(self, devices, compare_contents, machine=None):
        self._devices = devices
        self._compare_contents = compare_contents
        self._machine = machine
        self._entries = {}  # by id of the original
        self._unsure = []  # entries whose copies may have been changed since
        self._given = [None] * len(devices)  # what stands for the originals on each device
        self._launch, self._launched = None, None  # what sends all that has changed, and the places that it knows
        self.rows = []  # of the launch
        self._forced = {}
        self._left = {}  # by their lists' `id`: launches that graphs have left for the next comparison
        self.generation = 0  # of the places of originals and copies

    def sync(self, tensors, count, changing=()):
        """Brings the copies on the first `count` devices up to date with `tensors`.

        Args
        ----
        changing : iterable of torch.Tensor
            Those of them that replicas may change from now on in ways that PyTorch does not count.
        """
        known = self._entries
        self._entries = {}
        for tensor in tensors:
            entry = known.get(id(tensor))
            self._entries[id(tensor)] = entry or Entry(tensor, len(self._devices))
        if known.keys() != self._entries.keys():
            self._given = [None] * len(self._devices)
        entries = list(self._entries.values())
        with torch.inference_mode(False), torch.no_grad():
            if self._machine is not None and self._reachable(entries):
                self._sync_by_launch(entries)
            else:
                self._sync_by_copies(entries, count)
        self._unsure = [self._entries[id(one)] for one in changing]

    def _sync_by_copies(self, entries, count):
        if self._launched is not None:  # whose checksums say nothing here
            self._launched = None
            for entry in entries:
                entry.note(self._compare_contents)
        quiet = [entry for entry in entries if not entry.moved(self._compare_contents)]
        for entry in self._unsure:
            entry.note(self._compare_contents, counted=False)
        if self._compare_contents:
            for entry in with_other_contents(quiet):
                entry.note(self._compare_contents, counted=False)
        for i in range(1, count):
            self._renew(i, [entry for entry in entries if entry.is_stale(i)])

    def _renew(self, i, entries):
        """Sends these to device `i`: through `.data` where that shall not count as a change."""
        device = memory_of(self._devices[i])
        there = [entry for entry in entries if not entry.make_room(i, device)]
        if len(there) < len(entries):
            self._given[i] = None
        counted, others = [], []
        for entry in there:
            (counted if entry.counts(i) else others).append(entry)
        if there:
            torch._foreach_copy_(
                [*(entry.copies[i] for entry in counted), *(entry.copies[i].data for entry in others)],
                [entry.original for entry in counted + others],
                non_blocking=True,
            )
        for entry in entries:
            entry.sent(i)

    def _reachable(self, entries):
        """Whether a launch can copy all of them, byte for byte."""
        return all(entry.is_dense() for entry in entries)

    def _sync_by_launch(self, entries):
        with self._machine.lock:
            self._machine.replay()
            moved = [entry for entry in entries if entry.moved(keep=False)]
            others = range(1, len(self._devices))
            for entry in entries:
                for i in others:
                    if entry.make_room(i, memory_of(self._devices[i])):
                        self._given[i] = None
            touched = [entry for entry in entries if any(entry.was_touched(i) for i in others)]
            for entry in moved + touched:
                torch.autograd.graph.increment_version(entry.copies[1:])
            forced = {id(entry.original): entry.original for entry in touched + self._unsure}
            forced = [one for key, one in forced.items() if key in self._entries]
            self._machine.first_waits()
            self._place(entries)
            self.settle()
            if forced:
                self.forcing(forced)()
            self._launch()
            self._machine.others_wait()
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
            entry.forget()
            entry.checksums = self._machine.checksums_of(entry.original)
        self.rows = [(entry.original, entry.checksums, entry.copies[1:]) for entry in entries]
        self._launch = self._machine.renewal(0, self.rows)

    def leave(self, launches):
        """Graphs change copies, unseen by the originals: these are queued before originals are compared again.

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
        """What stands for the originals on device `i`: a dict by their `id`. Gradients flow to them.

        Without grad mode it is what it was: activation checkpoints of an earlier call may still compute with it.
        """
        if i == 0:
            return {}
        if torch.is_grad_enabled() or self._given[i] is None:
            with torch.inference_mode(False), torch.enable_grad():
                self._given[i] = self._bridged(i)
        return self._given[i]

    def _bridged(self, i):
        made = {key: entry.copies[i] for key, entry in self._entries.items()}
        trained = [entry for entry in self._entries.values() if entry.original.requires_grad]
        for bucket in buckets(trained):
            aliases = Bridge.apply([entry.copies[i] for entry in bucket], *[entry.original for entry in bucket])
            made.update({id(entry.original): alias for entry, alias in zip(bucket, aliases, strict=True)})
        return made

    def average(self, buffers, count):
        """Makes each floating-point buffer the mean of what the first `count` replicas have made of it.

        Elements that are the same in all stay to the bit. A backward pass may still come, for which nothing counts as
        changed.
        """
        with torch.no_grad():
            for buffer in buffers:
                if buffer.is_floating_point() and buffer.layout == torch.strided:
                    copies = self._entries[id(buffer)].copies[1:count]
                    all_made = torch.stack([one.to(buffer.device, torch.float64) for one in (buffer, *copies)])
                    same = (all_made == all_made[0]).all(0)
                    buffer.data.copy_(torch.where(same, all_made[0], all_made.mean(0)))

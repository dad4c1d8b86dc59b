"""Copies of a module's tree, one a device, that live as long as the module keeps its shape."""

import torch
from torch.nn.parallel.replicate import _replicatable_module

_ABSENT = object()


class Replicas:
    """One mirror of the module for each device; parameters and buffers are put in for each call.

    Everything else that belongs to a submodule (training or evaluation, hooks, attributes, new parameters, buffers and
    layers) is compared with what was copied and copied again where it differs. What `forward` itself sets on a replica
    stays there, and is never seen by the module.
    """

    def __init__(self, count):
        self._count = count
        self._mirrors = []

    def refresh(self, module):
        """Makes all replicas what `module` is now. `RuntimeError` for modules that TorchScript cannot take apart."""
        modules = list(module.modules())
        known = [mirror.master for mirror in self._mirrors]
        if len(modules) != len(known) or any(a is not b for a, b in zip(modules, known, strict=True)):
            if not _replicatable_module(module):
                raise RuntimeError("Cannot replicate network where python modules are children of ScriptModule")
            self._mirrors = [_Mirror(one, self._count) for one in modules]
            changed = self._mirrors
        else:
            changed = [mirror for mirror in self._mirrors if mirror.changed()]
        if changed:
            mirrors = {id(mirror.master): mirror for mirror in self._mirrors}
            for mirror in changed:
                mirror.copy(mirrors)

    def bound(self, i, tensors):
        """Replica `i` with these in the place of parameters and buffers: a dict from the `id` of the module's own."""
        for mirror in self._mirrors:
            mirror.bind(i, tensors)
        return self._mirrors[0].replicas[i]


class _Mirror:
    """One submodule and its replicas."""

    def __init__(self, master, count):
        self.master = master
        self.replicas = [master.__new__(type(master)) for _ in range(count)]
        self._seen = None

    def _facts(self):
        master = self.master
        return vars(master).copy(), master._parameters.copy(), master._buffers.copy(), master._modules.copy()

    def changed(self):
        master = self.master
        now = vars(master), master._parameters, master._buffers, master._modules
        return not all(_same(a, b) for a, b in zip(now, self._seen, strict=True))

    def copy(self, mirrors):
        self._seen = self._facts()
        for i, replica in enumerate(self.replicas):
            replica.__dict__ = vars(self.master._replicate_for_data_parallel())
            for name, child in self.master._modules.items():
                replica._modules[name] = None if child is None else mirrors[id(child)].replicas[i]

    def bind(self, i, tensors):
        replica = self.replicas[i]
        _, parameters, buffers, _ = self._seen
        replica._parameters = {name: tensors.get(id(tensor), tensor) for name, tensor in parameters.items()}
        replica._buffers = {name: tensors.get(id(tensor), tensor) for name, tensor in buffers.items()}
        if isinstance(replica, torch.nn.RNNBase):  # it keeps a list of its own
            replica._flat_weights = [replica._parameters.get(name) for name in replica._flat_weights_names]


def _same(a, b):
    """Whether two dicts hold the same objects; `==` of tensors would compare their elements."""
    return len(a) == len(b) and all(b.get(name, _ABSENT) is value for name, value in a.items())

"""Copies of a module's tree, one a device, that live as long as the module keeps its shape."""

import sys

import torch

_ABSENT = object()


class Replicas:
    """One mirror of the module for each device; parameters and buffers are put in for each call.

    Everything else that belongs to a submodule (training or evaluation, hooks, attributes, new parameters, buffers and
    layers) is compared with what was copied and copied again where it differs. What `forward` itself sets on a replica
    is gone in the next call, and is never seen by the module.
    """

    def __init__(self, count):
        self._count = count
        self._mirrors = []

    def refresh(self, module):
        """Makes all replicas what `module` is now. `RuntimeError` for modules of TorchScript."""
        modules = list(module.modules())
        mirrors = self._mirrors
        if len(modules) != len(mirrors) or any(a is not b.master for a, b in zip(modules, mirrors, strict=True)):
            if any(isinstance(one, torch.jit.ScriptModule) for one in modules):
                raise RuntimeError(
                    "a ScriptModule cannot be replicated: its parameters belong to TorchScript; give DataParallel the "
                    "module before torch.jit.script or torch.jit.trace"
                )
            mirrors = changed = [_Mirror(one, self._count) for one in modules]
        else:
            changed = [mirror for mirror in mirrors if mirror.changed()]
        if changed:
            by_master = {id(mirror.master): mirror for mirror in mirrors}
            for mirror in sorted(changed, key=lambda mirror: _is_compiled(mirror.master)):  # made of finished replicas
                mirror.copy(by_master)
        self._mirrors = mirrors  # now that all copies have succeeded

    def in_training(self):
        """Whether any part of the module is."""
        return any(mirror.master.training for mirror in self._mirrors)

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
        self._attributes = None  # of each replica when a call begins
        self._seen = None

    def _facts(self):
        master = self.master
        return vars(master).copy(), master._parameters.copy(), master._buffers.copy(), master._modules.copy()

    def changed(self):
        master = self.master
        if type(master) is not type(self.replicas[0]):
            return True
        now = vars(master), master._parameters, master._buffers, master._modules
        return not all(_same(a, b) for a, b in zip(now, self._seen, strict=True))

    def copy(self, mirrors):
        seen = self._facts()
        self._attributes = [self._copied(i, mirrors) for i in range(len(self.replicas))]
        for replica, attributes in zip(self.replicas, self._attributes, strict=True):
            object.__setattr__(replica, "__class__", type(self.master))
            object.__setattr__(replica, "__dict__", attributes)
        self._seen = seen

    def _copied(self, i, mirrors):
        children = {
            name: None if child is None else mirrors[id(child)].replicas[i]
            for name, child in self.master._modules.items()
        }
        if _is_compiled(self.master):
            return _compiled_again(self.master, **children)
        attributes = vars(self.master._replicate_for_data_parallel())
        attributes["_modules"] = children
        if attributes.get("_compiled_call_impl") is not None:  # by module.compile(): it is the master that it calls
            attributes["_compiled_call_impl"] = None
        return attributes

    def bind(self, i, tensors):
        """Undoes what the last call has done to attributes, as if the replica were a new one."""
        attributes = self._attributes[i].copy()
        _, parameters, buffers, _ = self._seen
        attributes["_parameters"] = {name: tensors.get(id(one), one) for name, one in parameters.items()}
        attributes["_buffers"] = {name: tensors.get(id(one), one) for name, one in buffers.items()}
        attributes["_modules"] = attributes["_modules"].copy()
        if "_flat_weights" in attributes:  # recurrent layers keep a list of their own
            attributes["_flat_weights"] = [attributes["_parameters"].get(n) for n in attributes["_flat_weights_names"]]
        object.__setattr__(self.replicas[i], "__dict__", attributes)


def _same(a, b):
    """Whether two dicts hold the same objects; `==` of tensors would compare their elements."""
    return len(a) == len(b) and all(b.get(name, _ABSENT) is value for name, value in a.items())


def _is_compiled(module):
    """Whether it is what `torch.compile` makes of a module: one that hands all attributes on to the module in it."""
    dynamo = sys.modules.get("torch._dynamo")  # which takes a second to import
    return dynamo is not None and isinstance(module, dynamo.OptimizedModule)


def _compiled_again(module, _orig_mod):
    """Attributes of what `torch.compile` makes of another module as it has made this one."""
    made = vars(type(module)(_orig_mod, module.dynamo_ctx))
    return vars(module) | {name: made[name] for name in ("_modules", "forward", "_forward") if name in made}

"""What the attributes of modules hold, at any depth: a copy of it, and whether it is still the same."""

import enum
import functools
import logging
import sys
import threading
import types
import weakref
from collections import OrderedDict, deque

import torch

from .. import _core

PLAIN = (int, float, bool, complex, str, bytes, type(None), torch.dtype, torch.device, enum.Enum)
_CODE = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
_WRAPPED_CODE = (functools.partial, type(functools.cache(len)))
_SILENT = (logging.Logger, type(threading.Lock()), type(threading.RLock()))  # what no values come out of
_FIXED = (*PLAIN, *_CODE, *_WRAPPED_CODE, *_SILENT, torch.Tensor, weakref.ref)
_CONTAINERS = (OrderedDict, dict, list, tuple, set, frozenset, deque)
_MOST = 10_000  # values that may be compared in each call, at a few nanoseconds each
_BYTES_OF_A_VALUE = 64  # in arrays, which are compared quicker


class Unfit(Exception):
    """This call, or this module, cannot be captured; the text says why, to follow "because"."""


class Contents:
    """All that is in modules but tensors, at some time. `Unfit` where it may change unseen, or is too much to compare.

    Objects are what they hold. Tensors, and objects of PyTorch that are no modules, are compared by identity.
    """

    def __init__(self, modules):
        self._objects, self._seen, self._arrays, self._size = list(modules), [], [], 0
        self._known = {id(one) for one in modules}
        for n, one in enumerate(self._objects):  # to which copying adds those that it finds
            self._seen.append(self._attributes(one, n < len(modules)))
        self._types = list(map(type, self._objects))

    def hold(self):
        """Whether everything is still what it was."""
        try:
            return (
                list(map(type, self._objects)) == self._types
                and _core.have_attributes(self._objects, self._seen)
                and all(_facts_of(array) == then for array, then in self._arrays)
            )
        except (RuntimeError, ValueError):  # tensors or arrays in the place of others: they have no one truth value
            return False

    def _attributes(self, one, is_given):
        """A copy of all attributes; members of the given modules are for `Facts` to compare."""
        kept = ("_parameters", "_buffers") if is_given else ()
        return {
            name: value if name in kept else self._copy(value, f"{type(one).__name__}.{name}")
            for name, value in vars(one).items()
        }

    def _copy(self, value, where):
        """What `==` compares by content for containers and, within these, by identity first."""
        self._count(1, where)
        if isinstance(value, _FIXED) or id(value) in self._known or _is_torchs(value):
            return value
        if _is_array(value):
            self._count(value.nbytes // _BYTES_OF_A_VALUE, where)
            if value.dtype.hasobject:
                raise Unfit(f"{where} is an array of objects, which may change unseen")
            self._arrays.append((value, _facts_of(value)))
            return value
        kind = type(value)
        if kind not in _CONTAINERS and hasattr(value, "__dict__"):
            self._known.add(id(value))
            self._objects.append(value)
        base = next((one for one in _CONTAINERS if isinstance(value, one)), None)
        if base is None:
            if _may_change_unseen(value):
                raise Unfit(f"{where} is of type {kind.__name__}, whose contents may change unseen")
            return value
        if issubclass(base, dict):
            return base((key, self._copy(own, where)) for key, own in value.items())
        return base(self._copy(own, where) for own in value)

    def _count(self, values, where):
        self._size += values
        if self._size > _MOST:
            raise Unfit(f"{where} holds more than can be compared in each call")


class _Simple:
    """As classes are that keep everything in `__dict__`."""


def _may_change_unseen(value):
    """Whether there is something in it that is in no `__dict__`, as in random generators and iterators."""
    kind = type(value)
    if hasattr(value, "__dict__"):
        return kind.__basicsize__ > max(_Simple.__basicsize__, types.SimpleNamespace.__basicsize__)
    return kind.__hash__ in (None, object.__hash__)  # what has a hash of its own stays what it is


def _is_torchs(value):
    return not isinstance(value, torch.nn.Module) and any(
        one.__module__.partition(".")[0] == "torch" for one in type(value).__mro__
    )


def _is_array(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _facts_of(array):
    return array.dtype, array.shape, array.tobytes()

"""Serves the modules of `nvidia.dali` with Penstock's."""

import importlib
import importlib.abc
import importlib.machinery
import multiprocessing.spawn
import sys
import types

from .. import _context
from . import _absent, _choices

_ROOT = "nvidia.dali"
# Modules of DALI that have another name here.
_RENAMED = {
    "backend.tfrecord": "penstock.tfrecord",
    "backend": "penstock.dali.backend",
    "backend_impl": "penstock.dali.backend",
    "backend_impl.tfrecord": "penstock.tfrecord",
    "backend_impl.types": "penstock.types",
    "external_source": "penstock.external_source",
    "pickling": "penstock.dali.pickling",
    "plugin.jax.integration": "penstock.dali.jax_integration",
    "plugin.jax.iterator": "penstock.plugin.jax",
    "plugin.triton": "penstock.dali.triton",
    "": "penstock.dali._root",
}


def _below_root(name):
    return name.removeprefix(_ROOT).lstrip(".")


def _served_by(name):
    """Penstock's module for one of DALI's, by full name."""
    rest = _below_root(name).removesuffix(".hidden")  # where DALI keeps older names; here they are beside the others
    return _RENAMED.get(rest, f"penstock.{rest}")


def _seen_through(view, module, name):
    """What the view of a module has under that name; modules in it are seen through views, too."""
    try:
        value = getattr(module, name)
    except AttributeError as error:
        value = _absent_one(view, name)
        if value is None:
            raise AttributeError(str(error)) from None
        return value
    if isinstance(value, types.ModuleType) and not name.startswith("_") and value.__name__.startswith("penstock."):
        below = value.__name__ == _served_by(f"{view}.{name}")
        return importlib.import_module(f"{view}.{name}" if below else _ROOT + value.__name__.removeprefix("penstock"))
    return value


def _absent_one(view, name):
    """A name of DALI's that Penstock does not have: a module, or a placeholder, made once. None where DALI has none."""
    rest = _below_root(view)
    if name not in _absent.names().get(rest, ()):
        return None
    whole = f"{rest}.{name}".lstrip(".")
    value = importlib.import_module(f"{view}.{name}") if _absent.is_module(whole) else _absent.placeholder(whole)
    setattr(sys.modules[view], name, value)
    return value


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers every import of `nvidia.dali` and below with the module of Penstock itself, not with a copy of it.

    Only the names that `_choices` lists are others.
    """

    def find_spec(self, fullname, path, target=None):
        del path, target
        if fullname != _ROOT and not fullname.startswith(_ROOT + "."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        rest = _below_root(spec.name)
        try:
            module = importlib.import_module(_served_by(spec.name))
        except ModuleNotFoundError as e:
            if e.name is None or not e.name.startswith("penstock"):
                raise  # a framework
            if not _absent.is_module(rest):
                raise ModuleNotFoundError(f"Penstock has nothing for {spec.name}: {e}", name=spec.name) from None
            module = _absent.module(rest)
        # The import system writes its own names into what it loads, so it gets a module of its own that looks through.
        view = types.ModuleType(spec.name, module.__doc__)
        view.__getattr__ = lambda name: _seen_through(spec.name, module, name)
        view.__dir__ = lambda: dir(module)
        view.__all__ = getattr(module, "__all__", [name for name in dir(module) if not name.startswith("_")])
        vars(view).update(_choices.of(rest))
        return view

    def exec_module(self, module):
        """Modules that are loaded with one of Penstock's are with its view, too: scripts look into `sys.modules`."""
        served = sys.modules.get(_served_by(module.__name__))
        for name, value in list(vars(served).items()) if served else ():
            below = f"{module.__name__}.{name}"
            if isinstance(value, types.ModuleType) and not name.startswith("_") and value.__name__ == _served_by(below):
                importlib.import_module(below)


class _Installs:
    """What Python's multiprocessing tells a child about its parent installs the finder there, when it is read."""

    def __reduce__(self):
        code = f"import sys; sys.path[:] = {sys.path!r}; from penstock.dali import install; install()"
        return exec, (code,)


def _follow_into_children():
    """Processes that multiprocessing starts import the main module anew: `nvidia.dali` must mean the same there."""
    described = multiprocessing.spawn.get_preparation_data
    if hasattr(described, "of_penstock"):
        return

    def get_preparation_data(name):
        return {**described(name), "penstock": _Installs()}

    get_preparation_data.of_penstock = True
    multiprocessing.spawn.get_preparation_data = get_preparation_data
    # A fork server would import the main module, and DALI with it, before any child could be told.
    multiprocessing.set_forkserver_preload([])


def install():
    """From now on ``import nvidia.dali`` means Penstock, also in processes that Python's `multiprocessing` starts.

    `RuntimeError` when DALI itself was imported before. Programs that are started in other ways, as by `subprocess` or
    `torchrun`, have to be started with ``-m penstock.dali``, or call this themselves.
    """
    loaded = sys.modules.get(_ROOT)
    if loaded is not None and not isinstance(getattr(loaded.__spec__, "loader", None), _Finder):
        raise RuntimeError("nvidia.dali is imported already; install Penstock's before the first import of it")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    _follow_into_children()
    _context.choose_outside(_choices.POLICY)
    if "nvidia" not in sys.modules:
        try:
            importlib.import_module("nvidia")  # the namespace of other packages of NVIDIA's
        except ModuleNotFoundError:
            namespace = types.ModuleType("nvidia")
            namespace.__path__ = []
            sys.modules["nvidia"] = namespace

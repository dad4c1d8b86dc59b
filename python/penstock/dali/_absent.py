"""Names of DALI that Penstock does not have: scripts import them, and learn what to do instead when they use one."""

import functools
import importlib.resources
import types

# By beginning of a name, longest first: what it is, and what to do instead.
_ADVICE = {
    "": ("a name of DALI's", "docs/porting_from_dali.md tells what Penstock has"),
    "fn.": (
        "an operator of DALI's",
        "write it with fn.python_function, or do it in the source of an fn.external_source or before training",
    ),
    "fn.readers.": ("a reader of DALI's", "read the records in Python and give them by fn.external_source"),
    "fn.decoders.": ("a decoder of DALI's", "decode in the source of an fn.external_source, or in fn.python_function"),
    "fn.experimental.inputs.": ("an input of DALI's", "decode in Python and give frames by fn.external_source"),
    "experimental.dynamic": (
        "part of DALI's dynamic mode, which runs operators without a pipeline",
        "put the operators into a pipeline_def; fn has them under the same names",
    ),
    "experimental.torchvision": (
        "part of DALI's stand-in for torchvision",
        "use penstock.torch, which loads a torchvision transform's data, or torchvision itself",
    ),
    "plugin_manager": (
        "part of what loads operators that were compiled for DALI's own library, which Penstock cannot run",
        "compile them against include/penstock (docs/contributing.md, `A new operator`), or use fn.python_function",
    ),
    "sysconfig": (
        "part of what compiles operators for DALI's own library",
        "compile against an installed Penstock: find_package(penstock) in CMake (README.md)",
    ),
    "reducers": (
        "part of DALI's pickling of sources",
        "give the pipeline a py_callback_pickler, such as cloudpickle; nvidia.dali.pickling has pickle_by_value",
    ),
    "backend": ("a name of DALI's C++ library", "use fn, types and Pipeline, which do not need it"),
}


class AbsentError(NotImplementedError, AttributeError):
    """Something of DALI's that Penstock lacks was used. `hasattr` takes it for an absent attribute."""


@functools.cache
def names():
    """Every public name of DALI 2.4: module (without its root) -> set of names. tools/dali_names.py writes them."""
    text = importlib.resources.files(__package__).joinpath("names.txt").read_text(encoding="utf-8")
    rows = (line.partition(":") for line in text.replace("\n  ", " ").splitlines())
    return {module: frozenset(rest.split()) for module, _, rest in rows}


def is_module(rest):
    """Whether DALI has a module of that name, which is without its root."""
    return rest in names()


def explanation(name):
    """What is said when `name`, without its root, is used."""
    key = name.replace("ops.", "fn.", 1) if name.startswith("ops.") else name
    beginning = max((one for one in _ADVICE if key.startswith(one)), key=len)
    what, instead = _ADVICE[beginning]
    return f"Penstock has nothing for nvidia.dali.{name}, {what}: {instead}"


class _Absent(type):
    """The class of placeholders: calls, instances of classes derived from them and attributes are refused."""

    def __call__(cls, *_args, **_kwargs):
        raise AbsentError(explanation(cls._absent))

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AbsentError(explanation(cls._absent))

    def __repr__(cls):
        return f"<nvidia.dali.{cls._absent}, which Penstock does not have>"


def placeholder(name):
    """Stands for `name`, without its root, until it is used."""
    return _Absent(name.rpartition(".")[2], (), {"_absent": name, "__doc__": explanation(name)})


def module(rest):
    """A module in whose place Penstock has none. Its names are placeholders."""
    made = types.ModuleType(f"nvidia.dali.{rest}", explanation(rest))
    made.__all__ = sorted(names()[rest])
    return made

"""Whatever a user can reach says what it does and what every parameter means."""

import enum
import importlib
import inspect
import pkgutil
import re

import pytest

import penstock

PROGRAMS = {"bench", "cli", "demo"}  # their --help is tested with them
GENERATED = {"penstock.fn", "penstock.ops"}  # from the schemas, see test_fn.py


def public_modules():
    """Names of all modules of the package that have no underscore."""
    found = ["penstock"]
    for module in pkgutil.walk_packages(penstock.__path__, "penstock."):
        parts = module.name.split(".")[1:]
        if not any(part.startswith("_") for part in parts) and parts[0] not in PROGRAMS:
            found.append(module.name)
    return found


def is_ours(value):
    module = getattr(value, "__module__", None) or ""
    return (inspect.isroutine(value) or inspect.isclass(value)) and module.split(".")[0] == "penstock"


def members_of(module):
    """What the module offers: names of `__all__`, or what is defined in it."""
    if module.__name__ in GENERATED:
        return {}
    names = getattr(module, "__all__", None)
    if names is None:
        names = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        ]
    return {f"{module.__name__}.{name}": getattr(module, name) for name in names if is_ours(getattr(module, name))}


def attributes_of(name, cls):
    """Methods and properties of a class, inherited ones included where they are Penstock's."""
    for owner in filter(is_ours, cls.__mro__):
        for attribute, static in vars(owner).items():
            value = getattr(cls, attribute)
            if not attribute.startswith("_") and (isinstance(static, property) or callable(value)):
                yield f"{name}.{attribute}", value


def parameters_of(value):
    if isinstance(value, (property, enum.EnumMeta)):
        return []
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        parameters = None
    if parameters is None or type(value).__module__ == "nanobind":  # whose docstring begins with the only signature
        first = (value.__doc__ or "").partition("\n")[0]
        return [name for name in re.findall(r"[(,] ?\*?(\w+):", first) if name != "self"]
    return [one.name for one in parameters if one.name != "self" and not one.name.startswith("_")]


def text_of(value):
    """The docstring, less the signature that nanobind puts before it."""
    text = inspect.getdoc(value) or ""
    first, _, rest = text.partition("\n")
    return rest.strip() if re.match(r"\w*\(.*\) -> ", first) else text


def faults_of(name, value):
    text = text_of(value)
    if not text:
        yield f"{name} has no docstring"
        return
    for parameter in parameters_of(value):
        if not re.search(rf"`{parameter}`|``{parameter}=|^(\w+, )*{parameter}(, \w+)*( :|$)", text, re.MULTILINE):
            yield f"{name}: nothing about `{parameter}`"


@pytest.mark.parametrize("name", public_modules())
def test_everything_public_is_documented(name):
    if {"pytorch", "torch", "parallel"} & set(name.split(".")):
        pytest.importorskip("torch")
    for part, framework in [("tf", "tensorflow"), ("numba", "numba"), ("paddle", "paddle")]:
        if part in name.split("."):
            pytest.importorskip(framework, reason=f"{framework} is not installed")
    module = importlib.import_module(name)
    assert module.__doc__
    faults = []
    for path, value in members_of(module).items():
        faults += faults_of(path, value)
        if inspect.isclass(value):
            for member, attribute in attributes_of(path, value):
                faults += faults_of(member, attribute)
    assert not faults, "\n".join(faults)


def test_a_missing_docstring_and_a_missing_parameter_are_found():
    def silent():
        pass

    def half(known, unknown):
        """Takes `known`."""

    assert [*faults_of("silent", silent), *faults_of("half", half)] == [
        "silent has no docstring",
        "half: nothing about `unknown`",
    ]

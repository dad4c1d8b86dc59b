"""Every public name of DALI can be imported; what Penstock lacks says so when it is used, and what to do instead."""

import importlib.util
import pathlib

import pytest
from conftest import ROOT
from oracle import dali


def _tool():
    spec = importlib.util.spec_from_file_location("dali_names", ROOT / "tools" / "dali_names.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_the_list_is_that_of_dalis_own_modules(script):
    """In a process of its own: other tests change what is loaded."""
    dali()
    assert script(ROOT / "tools" / "dali_names.py") == _tool().KEPT.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def their_script(tmp_path_factory):
    folder = tmp_path_factory.mktemp("theirs")

    def path(text) -> pathlib.Path:
        made = folder / "theirs.py"
        made.write_text(text)
        return made

    return path


def test_every_name_can_be_imported_and_what_is_absent_is_refused_when_it_is_called(script, their_script):
    out = script(
        "-m",
        "penstock.dali",
        their_script(
            """
import importlib
import sys
import warnings

from penstock.dali import _absent

warnings.simplefilter("ignore")
refused = 0
for module, names in sorted(_absent.names().items()):
    full = f"nvidia.dali.{module}".rstrip(".")
    def look(find):
        try:
            return find()
        except ModuleNotFoundError as error:
            assert error.name in ("torch", "jax", "clu", "tensorflow", "numba", "paddle"), error
            print("without", error.name, file=sys.stderr)

    loaded = look(lambda: importlib.import_module(full))
    for name in names if loaded else ():
        value = look(lambda: getattr(loaded, name))
        if value is None:
            continue
        exec(f"from {full} import {name}", {})
        if type(value) is _absent._Absent:
            whole = f"nvidia.dali.{module}.{name}".replace("dali..", "dali.")
            for use in (lambda: value(1), lambda: value.member, lambda: type("Derived", (value,), {})()):
                try:
                    use()
                except NotImplementedError as error:
                    assert str(error).startswith(f"Penstock has nothing for {whole}, "), error
                    assert ": " in str(error)
                else:
                    raise AssertionError(whole)
            assert not hasattr(value, "member")
            refused += 1
print(refused > 0)
"""
        ),
    )
    assert out.strip() == "True"


def test_the_advice_names_what_to_do(script, their_script):
    out = script(
        "-m",
        "penstock.dali",
        their_script(
            """
import nvidia.dali
from nvidia.dali import fn, ops, plugin_manager
from nvidia.dali.fn import optical_flow
from nvidia.dali.experimental import dynamic

for use in (lambda: plugin_manager.load_library("my.so"), lambda: optical_flow(1),
            lambda: ops.OpticalFlow(device="gpu"), lambda: dynamic.Tensor([1]), lambda: fn.optical_flow(1)):
    try:
        use()
    except NotImplementedError as error:
        print(error)
for name in ("fn.nonsense", "nonsense", "plugin.triton.nonsense"):
    try:
        eval("nvidia.dali." + name)
    except AttributeError as error:
        print(error)
try:
    import nvidia.dali.nonsense
except ModuleNotFoundError as error:
    print(error)
"""
        ),
    )
    lines = out.splitlines()
    for line, said in zip(
        lines,
        [
            "include/penstock", "fn.python_function", "nvidia.dali.ops.OpticalFlow, an operator",
            "pipeline_def", "fn.optical_flow", "there is no operator `nonsense`", "'nonsense'", "'nonsense'",
            "Penstock has nothing for nvidia.dali.nonsense",
        ],
        strict=True,
    ):  # fmt: skip
        assert said in line


def test_the_page_on_porting_tells_what_is_missing(script):
    """The names are DALI's by the test above; the page is written by a tool, so that it cannot be wrong."""
    page = (ROOT / "docs" / "porting_from_dali.md").read_text(encoding="utf-8")
    assert script(ROOT / "tools" / "dali_gap.py") in page, "run tools/dali_gap.py --write"

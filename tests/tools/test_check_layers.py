import pytest


@pytest.fixture
def faults(tool, tmp_path):
    def check(**sources):
        for name, text in sources.items():
            path = tmp_path / name.replace("__", "/").replace("_cc", ".cc").replace("_h", ".h")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(tool("check_layers").faults(tmp_path))

    return check


def test_includes_that_point_down_pass(faults):
    assert (
        faults(src__ops__flip_cc='#include "kernels/flip.h"\n#include <penstock/tensor.h>\n#include <vector>\n') == []
    )


def test_an_include_that_points_up_is_named_with_its_line(faults):
    assert faults(src__core__a_cc='\n#include "schema/value.h"\n') == [
        "src/core/a.cc:2: core may not include schema/value.h"
    ]


@pytest.mark.parametrize("pair", [("codec", "device"), ("readers", "ops")])
def test_siblings_may_not_include_each_other(faults, pair):
    one, other = pair
    assert (
        len(faults(**{f"src__{one}__a_cc": f'#include "{other}/x.h"\n', f"src__{one}__b_h": f'#include "{one}/x.h"\n'}))
        == 1
    )
    assert len(faults(**{f"src__{other}__a_cc": f'#include "{one}/x.h"\n'})) == 2


def test_public_headers_know_nothing_of_the_sources(faults):
    assert len(faults(include__penstock__a_h='#include "core/check.h"\n#include <penstock/dtype.h>\n')) == 1


def test_bindings_may_include_everything(faults):
    assert faults(python__bindings__module_cc='#include "pipeline/executor.h"\n') == []


@pytest.mark.parametrize(
    "header,home",
    [("cuda_runtime.h", "src__cuda"), ("nccl.h", "src__cuda"), ("Python.h", "python__bindings"),
     ("nanobind/nanobind.h", "python__bindings")],
)  # fmt: skip
def test_headers_of_cuda_and_of_python_have_one_home(faults, header, home):
    assert faults(**{f"{home}__a_cc": f"#include <{header}>\n", "src__core__a_cc": f"#include <{header}>\n"}) == [
        f"src/core/a.cc:1: core may not include {header}"
    ]


def test_a_folder_that_is_no_layer_is_reported(faults):
    assert "no layer" in faults(src__misc__a_cc="\n")[0]


@pytest.fixture
def declared(faults, tool, tmp_path):
    def check(known=(), **sources):
        faults(**sources)
        return list(tool("check_layers").declared_faults(tmp_path, frozenset(known)))

    return check


MACHINE = "struct Machine final : Base {\n  int a;\n};\nenum class Kind : int { kOne };\n"


@pytest.mark.parametrize("line", ["struct Machine;", "enum class Kind : int;", "  class [[nodiscard]] Machine;"])
def test_a_type_of_a_layer_that_may_not_be_included_is_not_declared_either(declared, line):
    sources = {"src__kernels__machine_h": MACHINE, "src__device__a_h": f"namespace k {{\n{line}\n}}\n"}
    name = "Kind" if "Kind" in line else "Machine"
    fault = f"src/device/a.h:2: device may not declare {name} of kernels"
    assert declared(**sources) == [fault]
    assert declared(known=[("src/device/a.h", name)], **sources) == []


def test_types_of_lower_layers_and_of_the_own_may_be_declared(declared):
    sources = {
        "src__kernels__machine_h": MACHINE,
        "src__pipeline__a_h": "struct Machine;\nclass Plan;\nclass Unknown;\n",
    }
    assert declared(**sources, src__pipeline__b_cc="class Outer::Plan {\n};\n") == []


def test_a_declaration_that_is_let_pass_but_gone_is_a_fault(declared):
    sources = {"src__kernels__machine_h": MACHINE, "src__device__a_h": "int a;\n"}
    assert declared(known=[("src/device/a.h", "Machine")], **sources) == [
        "tools/check_layers.py: src/device/a.h no longer declares Machine; take it out of DECLARED"
    ]


@pytest.fixture
def circle(tool, tmp_path):
    def check(**sources):
        (tmp_path / "p").mkdir()
        for name, text in sources.items():
            (tmp_path / "p" / f"{name}.py").write_text(text)
        return tool("check_layers").python_circle(tmp_path)

    return check


def test_python_modules_that_import_downwards_pass(circle):
    assert circle(__init__="from .a import A\n", a="from . import b, c\n", b="import p.c\n", c="import os\n") == []


@pytest.mark.parametrize("back", ["from .a import A", "from . import a", "from p import a", "import p.a"])
def test_modules_that_import_each_other_are_named_even_inside_functions(circle, back):
    found = circle(__init__="", a="from .b import B\n", b=f"def late():\n    {back}\n")
    assert set(found) == {"p.a", "p.b"}

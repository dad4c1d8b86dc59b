"""The C++ reference of the documentation site: what Doxygen reads, and the pages that are made of it."""

import pathlib
import re
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from site_pages import cpp, links  # noqa: E402

needs_doxygen = pytest.mark.skipif(not shutil.which("doxygen"), reason="doxygen is not installed")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return cpp.pages(ROOT, tmp_path_factory.mktemp("doxygen") / "xml")


@needs_doxygen
@pytest.mark.parametrize(
    ("member", "fault"),
    [
        ("int count();", "count"),
        ("/// Samples.\nint count();", ""),
        ("/// A size.\nstruct Size { int width = 0; };", "width"),
        ("/// A size.\nstruct Size { int width = 0; /**< in pixels */ };", ""),
        ("/// A kind.\nenum class Kind { kOne };", "kOne"),
        ("/// Samples of @thing.\nint count();", "thing"),
    ],
)
def test_a_public_member_without_a_sentence_is_an_error(member, fault, tmp_path):
    (tmp_path / "penstock").mkdir()
    text = (
        f"/// @file\n/// A header.\n#pragma once\n/// @namespace penstock  All.\nnamespace penstock {{\n{member}\n}}\n"
    )
    (tmp_path / "penstock/one.h").write_text(text)
    if not fault:
        assert (cpp.read_headers(tmp_path, tmp_path / "out") / "index.xml").exists()
        return
    with pytest.raises(cpp.DoxygenFault, match=rf"penstock/one\.h:\d+: error: .*{fault}"):
        cpp.read_headers(tmp_path, tmp_path / "out")


def test_where_doxygen_is_absent_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(cpp.DoxygenFault, match="apt-get install doxygen"):
        cpp.read_headers(ROOT / "include", tmp_path / "out")


@needs_doxygen
def test_every_operator_has_its_function_and_its_arguments(pages):
    operators = sorted((ROOT / "include/penstock/fn").glob("*/*.h"))
    assert len(operators) > 100
    for path in operators:
        page, text = pages[f"fn_{path.parent.name}.md"], path.read_text()
        spaces = "".join(f"{one}::" for one in re.findall(r"^namespace (\w+) \{", text, re.MULTILINE))
        function = re.search(r"^inline [^(]*?(\w+)\(Graph&", text, re.MULTILINE)[1]
        struct = re.search(r"^struct (\w+) \{", text, re.MULTILINE)[1]
        assert f"```{{doxygenfunction}} penstock::fn::{spaces}{function}\n" in page
        assert f"```{{doxygenstruct}} penstock::fn::{spaces}{struct}\n:members:\n" in page


@needs_doxygen
def test_every_other_header_has_a_page_of_what_it_declares(pages):
    assert {path.stem for path in (ROOT / "include/penstock").glob("*.h")} - {"fn", "penstock"} == {
        name.removesuffix(".md") for name in pages if not name.startswith(("fn_", "index"))
    }
    assert "{doxygenclass} penstock::Pipeline\n" in pages["pipeline.md"]
    assert "{doxygenfunction} penstock::read_on\n" in pages["gpu.md"]
    assert "{doxygenenum} penstock::DType\n" in pages["dtype.md"]
    assert not any("detail::" in page for page in pages.values())


@needs_doxygen
def test_the_first_page_has_the_rule_of_initialisers_and_links_to_all(pages):
    assert "alphabetical order" in pages["index.md"]
    assert set(re.findall(r"\]\((\w+\.md)\)", pages["index.md"])) == set(pages) - {"index.md"}


def test_the_guide_leads_to_the_reference():
    guide = ROOT / "docs/cpp.md"
    assert "[C++ API](cpp_api/index.md)" in links.adapted(guide.read_text(), guide, ROOT)


def test_fields_say_their_meaning_and_their_default_in_alphabetical_order():
    text = (ROOT / "include/penstock/fn/image/resize.h").read_text()
    body = re.search(r"struct ResizeArgs \{\n(.*?)\n\};", text, re.DOTALL)[1]
    fields = re.findall(r"((?:  ///.*\n)+)  (?:Arg|Constant)<[^;]*> (\w+) = \{\};", body)
    names = [name for _, name in fields]
    assert names == sorted(names)
    assert len(names) == body.count(" = {};") - 1  # and `common` behind them
    said = {name: " ".join(comment.replace("///", "").split()) for comment, name in fields}
    assert said["interp_type"].endswith("Default: `InterpType::kLinear`.")
    assert said["antialias"].endswith("Default: `true`.")
    assert said["mode"].endswith('Default: `"default"`.')

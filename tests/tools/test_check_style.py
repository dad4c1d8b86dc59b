import pathlib

import pytest


@pytest.fixture
def faults(tool):
    faults_of = tool("check_style").faults_of
    return lambda path, text: list(faults_of(pathlib.PurePath(path), text))


def test_an_ordinary_source_passes(faults):
    assert faults("src/ops/decoders/image.cc", "void register_decoders_image(Registry& r) {}\n") == []
    assert faults("src/readers/file.cc", "void register_file_reader(Registry& r) {}\n") == []
    assert faults("src/ops/flip.cc", "void register_flip(Registry& r) {\n}\n") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int a;\n" * 601, "601 lines"),
        ("\tint a;\n", "a tab"),
        ("x" * 121 + "\n", "121 columns"),
        ("// TO" + "DO: later\n", "unfinished"),
        ("// caf\u00e9\n", "not ASCII"),
        ("// Whoever waits sleeps.\n", '"Whoever" names no actor'),
        ("int a;", "no end"),
        ("void register_crop(Registry& r) {}\n", "named after none of its operators: crop"),
        ("[[gnu::cold]] void register_crop(Registry& r) {}\n", "named after none of its operators: crop"),
    ],
)
def test_a_fault_is_named(faults, text, message):
    found = faults("src/ops/flip.cc", text)
    assert len(found) == 1
    assert message in found[0]


def test_a_header_needs_a_guard(faults):
    assert "#pragma once" in faults("src/ops/flip.h", "int a;\n")[0]
    assert faults("src/ops/flip.h", "#pragma once\n") == []


def test_python_may_hold_any_letter(faults):
    assert faults("tools/a.py", "# caf\u00e9\n") == []


@pytest.mark.parametrize("name", ["docs/design.md", "tests/mutations/core.toml"])
def test_documents_and_tables_are_no_longer_either(faults, name):
    assert "601 lines" in faults(name, "caf\u00e9\n" * 601)[0]
    assert faults(name, "caf\u00e9\n" * 600) == []


def test_actors_are_named_in_the_product_alone(faults):
    assert "no actor" in faults("python/penstock/a.py", "# nobody waits\n")[0]
    assert faults("tests/cpp/a.cc", "// nobody waits\n") == []
    assert faults("src/a.cc", "// the whole; anybody\n") == []

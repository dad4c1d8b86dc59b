"""tools/mutate.py finds what a mutation changes though the source was laid out anew, moved or renamed."""

import subprocess
import sys
import tomllib

import pytest

FLIP = """\
namespace penstock {
int flip(int width, int x) {
  if (x < 0) { return 0; }  // "}" in a comment is no end
  return width - 1 - x;
}
struct Roll {
  int at(int x) const { return x + 1; }
};
int roll(int x) { return x + 1; }
}  // namespace penstock
"""
SHEAR = """\
class Shear:
    def run(self, x):
        if x:
            self.fill(x)
            return 1
        return 2
"""
TESTS = "def test_flip_twice_is_identity():\n    pass\n"
GTESTS = "TEST(Flip, TwiceIsIdentity) {}\nTEST_P(Files, Pixels) {}\n"


@pytest.fixture
def checkout_of(tmp_path, checkout):
    """A checkout with one mutation: mutated(**entry) -> what `mutate.py --check` and others make of it."""
    for name, text in {
        "src/ops/image/flip.cc": FLIP,
        "python/shear.py": SHEAR,
        "tests/python/ops/test_flip.py": TESTS,
        "tests/cpp/ops/flip_test.cc": GTESTS,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    listed = tmp_path / "tests/mutations/ops.toml"
    listed.parent.mkdir(parents=True)

    class Checkout:
        root = tmp_path

        def mutation(self, **given):
            entry = {
                "promise": "flip mirrors", "file": "src/ops/image/flip.cc", "old": "return width - 1 - x;",
                "new": "return x;", "test": "pytest tests/python/ops/test_flip.py -k twice_is_identity",
            } | given  # fmt: skip
            quoted = {
                key: value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
                for key, value in entry.items()
            }
            lines = [f'{key} = "{value}"\n' for key, value in quoted.items()]
            listed.write_text("# About flips.\n\n[[mutation]]\n" + "".join(lines))
            return self

        def run(self, *options):
            command = [sys.executable, checkout / "tools/mutate.py", "--root", tmp_path, *options]
            done = subprocess.run(command, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        def entry(self):
            return tomllib.loads(listed.read_text())["mutation"][0]

    return Checkout()


@pytest.fixture
def changed(tool, checkout_of):
    """The whole file that a mutation makes of the checkout."""

    def text(**given):
        anchors = tool("mutate").anchors
        entry = checkout_of.mutation(**given).entry()
        tree = anchors.Tree(checkout_of.root)
        place, fault = anchors.find(tree, entry)
        assert fault is None, fault
        return anchors.changed(tree, entry, place)

    return text


def test_a_text_that_stands_where_it_was_passes(checkout_of):
    assert checkout_of.mutation().run("--check") == (0, "")


@pytest.mark.parametrize(
    "laid_out", ["return width\n      - 1\n      - x;", "return width-1-x;", "return\twidth - 1 -\n x ;"]
)
def test_white_space_does_not_count(checkout_of, changed, laid_out):
    source = checkout_of.root / "src/ops/image/flip.cc"
    source.write_text(FLIP.replace("return width - 1 - x;", laid_out))
    assert checkout_of.mutation().run("--check") == (0, "")
    assert changed() == FLIP.replace("return width - 1 - x;", "return x;")


def test_white_space_between_words_has_to_be_there(checkout_of):
    source = checkout_of.root / "src/ops/image/flip.cc"
    source.write_text(FLIP.replace("return width", "returnwidth"))
    assert checkout_of.mutation().run("--check")[0] == 1


def test_a_call_that_was_broken_into_lines_with_a_last_comma_is_found(checkout_of):
    (checkout_of.root / "python/shear.py").write_text("one = call(\n    first,\n    [2, 3],\n)\n")
    assert checkout_of.mutation(file="python/shear.py", old="call(first, [2, 3])", new="1").run("--check") == (0, "")


@pytest.mark.parametrize("to", ["src/ops/geometry/flip.cc", "src/ops/image/flip.h", "src/ops/image/mirror.cc"])
def test_a_file_that_moved_is_found_and_rebase_writes_where_to(checkout_of, to):
    checkout_of.mutation()
    target = checkout_of.root / to
    target.parent.mkdir(parents=True, exist_ok=True)
    (checkout_of.root / "src/ops/image/flip.cc").rename(target)
    assert checkout_of.run("--check") == (0, "")
    before = checkout_of.entry()
    status, said = checkout_of.run("--rebase")
    assert status == 0
    assert f"flip mirrors: file {to}" in said
    assert checkout_of.entry() == before | {"file": to}
    assert checkout_of.run("--rebase") == (0, "")


def test_a_text_of_a_generated_file_is_not_taken_for_that_of_a_source(checkout_of):
    page = checkout_of.root / "docs/reference/image/flip.md"
    page.parent.mkdir(parents=True)
    page.write_text("It mirrors.\n")
    (checkout_of.root / "docs/flip.md").write_text("It mirrors.\n")
    checkout_of.mutation(file="docs/reference/flip.md", old="It mirrors.")
    assert checkout_of.run("--rebase")[0] == 0
    assert checkout_of.entry()["file"] == "docs/reference/image/flip.md"


def test_rebase_writes_the_text_as_it_is_laid_out_now_and_keeps_all_else(checkout_of):
    source = checkout_of.root / "src/ops/image/flip.cc"
    source.write_text(FLIP.replace("return width - 1 - x;", "return width - 1\n      - x;"))
    before = checkout_of.mutation(promise='with "quotes" and \\').entry()
    assert checkout_of.run("--rebase")[0] == 0
    assert checkout_of.entry() == before | {"old": "return width - 1\n      - x;"}
    assert (checkout_of.root / "tests/mutations/ops.toml").read_text().startswith("# About flips.\n\n[[mutation]]\n")


def test_lines_of_python_are_indented_as_those_that_they_replace(checkout_of, changed):
    deeper = SHEAR.replace("        if x:", "        while x:\n          if x:").replace(
        "            ", "              "
    )
    (checkout_of.root / "python/shear.py").write_text(deeper)
    made = changed(
        file="python/shear.py",
        old="if x:\n            self.fill(x)",
        new="if x:\n            self.spill(x)\n            self.fill(x)",
    )
    compile(made, "shear.py", "exec")
    assert "self.spill(x)\n              self.fill(x)" in made


def test_a_text_that_stands_twice_is_refused_until_the_symbol_tells_which(checkout_of, changed):
    status, said = checkout_of.mutation(old="return x + 1").run("--check")
    assert status == 1
    assert "2 times" in said and "symbol" in said
    assert checkout_of.mutation(old="return x + 1", symbol="Roll::at").run("--check") == (0, "")
    assert changed(old="return x + 1", new="return 0", symbol="roll").count("int roll(int x) { return 0; }") == 1
    assert changed(old="return x + 1", new="return 0", symbol="Roll").count("const { return 0; }") == 1


def test_a_symbol_is_found_in_another_file_too(checkout_of):
    source = checkout_of.root / "src/ops/image/flip.cc"
    (checkout_of.root / "src/ops/image/roll.cc").write_text("int roll(int x) { return x + 1; }\n")
    source.write_text(FLIP.replace("int roll(int x) { return x + 1; }\n", ""))
    checkout_of.mutation(old="return x + 1", symbol="roll")
    assert checkout_of.run("--check") == (0, "")
    assert checkout_of.run("--rebase")[0] == 0
    assert checkout_of.entry()["file"] == "src/ops/image/roll.cc"


def test_symbols_of_python_are_found(changed):
    assert "return 3" in changed(file="python/shear.py", old="return 2", new="return 3", symbol="Shear.run")


def test_a_text_that_is_gone_fails_the_check_but_only_warns_in_the_middle_of_a_change(checkout_of):
    checkout_of.mutation(old="return width - 2 - x;")
    status, said = checkout_of.run("--check")
    assert status == 1
    assert "'flip mirrors': its text is nowhere: 'return width - 2 - x;' was in src/ops/image/flip.cc" in said
    assert checkout_of.run("--check", "--lenient") == (0, said.replace("1 of 1", "warning: 1 of 1"))
    status, said = checkout_of.run("--rebase")
    assert status == 1
    assert "like it: src/ops/image/flip.cc:4: return width - 1 - x;" in said


@pytest.mark.parametrize(
    "test",
    [
        "pytest tests/python/ops/test_flip.py",
        "pytest tests/python/ops/test_flip.py -k 'twice_is and 2-1'",
        "pytest 'tests/python/ops/test_flip.py::test_flip_twice_is_identity[a b]'",
        "test_ops",
        "test_ops --gtest_filter=Flip.Twice*",
        "test_ops --gtest_filter=All/Files.Pixels/png",
    ],
)
def test_tests_that_exist_pass(checkout_of, test):
    assert checkout_of.mutation(test=test).run("--check") == (0, "")


@pytest.mark.parametrize(
    "test,named",
    [
        ("pytest tests/python/ops/test_flop.py", "test_flop.py"),
        ("pytest tests/python/ops/test_flip.py -k thrice_is", "thrice_is"),
        ("pytest tests/python/ops/test_flip.py::test_flip_thrice", "test_flip_thrice"),
        ("test_ops --gtest_filter=Flip.Thrice", "Flip.Thrice"),
        ("test_codec", "test_codec"),
        (".venv/bin/python tools/check_flips.py", "tools/check_flips.py"),
    ],
)
def test_a_test_that_is_gone_is_named(checkout_of, test, named):
    status, said = checkout_of.mutation(test=test).run("--check")
    assert status == 1
    assert named in said


def test_tests_that_moved_are_found_and_rebase_writes_where_to(checkout_of):
    root = checkout_of.root
    (root / "tests/python/image").mkdir()
    (root / "tests/python/ops/test_flip.py").rename(root / "tests/python/image/test_flip.py")
    checkout_of.mutation()
    assert checkout_of.run("--check") == (0, "")
    assert checkout_of.run("--rebase")[0] == 0
    assert checkout_of.entry()["test"] == "pytest tests/python/image/test_flip.py -k twice_is_identity"
    (root / "tests/cpp/kernels").mkdir()
    (root / "tests/cpp/ops/flip_test.cc").rename(root / "tests/cpp/kernels/flip_test.cc")
    checkout_of.mutation(test="test_ops --gtest_filter=Flip.Twice*").run("--rebase")
    assert checkout_of.entry()["test"] == "test_kernels --gtest_filter=Flip.Twice*"


def test_an_entry_with_an_unknown_key_is_refused(checkout_of):
    status, said = checkout_of.mutation(files="a").run("--check")
    assert status == 1
    assert "flip mirrors" in said

import pytest

_PIPELINE = """
class Run:
    _started = False

    def __init__(self):
        self.taken = 0
        self._fault = None

    def _waited(self):
        pass
"""


@pytest.fixture
def faults(tool, tmp_path):
    def check(text, name="penstock/plugin/other.py"):
        for path, source in {"penstock/pipeline/_run.py": _PIPELINE, name: text}.items():
            file = tmp_path / "python" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source)
        return list(tool("check_private").faults(tmp_path))

    return check


def test_the_sources_themselves_pass(tool, checkout):
    assert list(tool("check_private").faults(checkout)) == []


@pytest.mark.parametrize("text", ["pipe._waited()", "runs[0]._started = True", "a = self.pipe._fault", "of()._fault"])
def test_what_reaches_into_a_run_is_named_with_its_line(faults, text):
    [fault] = faults(f"\n{text}\n")
    assert fault.startswith("python/penstock/plugin/other.py:2: touches `_")


def test_public_names_and_those_of_other_objects_pass(faults):
    assert faults("run.taken = 1\nself._fault = 2\npipe._of_another_class()\n") == []


def test_a_kind_of_pipeline_does_not_use_what_it_inherits(faults):
    assert len(faults("class Mine(pipeline.Pipeline):\n    def f(self):\n        return self._fault\n")) == 1
    assert faults("class Mine(Other):\n    def f(self):\n        return self._fault\n") == []


@pytest.mark.parametrize(
    "text",
    ["from ..pipeline._run import Run", "from ..pipeline import _run", "import penstock.pipeline._run",
     "def f():\n    from penstock.pipeline._run import Run"],
)  # fmt: skip
def test_private_modules_are_not_imported(faults, text):
    [fault] = faults(text)
    assert "imports `_run` of penstock.pipeline" in fault


def test_the_contract_is(faults):
    assert faults("from ..pipeline.contract import run_of\nfrom ..pipeline import Pipeline\n") == []


def test_modules_of_the_package_know_each_other(faults):
    assert faults("from ._run import Run\nrun._fault = 1\n", name="penstock/pipeline/_state.py") == []

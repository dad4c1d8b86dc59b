import pytest

BASE = """
class Root {
 public:
  virtual ~Root() = default;
  virtual void infer(Sample&) const = 0;
  virtual bool reads(int) const { return true; }
};
class Form : public Other<Thing, 2> {
 public:
  virtual void describe(Sample& s) const = 0;
};
template <class A>
class Family : public Root, public device::Form {
 public:
  void infer(Sample& s) const final { s.out(0).describe({1, 2}); }
  virtual int change(int) const { return 1; }
  virtual int change(float) const = 0;
};
"""


@pytest.fixture
def faults(tool, tmp_path):
    def check(row, header=BASE):
        for path, text in {"src/ops/base/family.h": header, "src/ops/base/README.md": row}.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return list(tool("check_families").faults(tmp_path))

    return check


def test_a_row_that_lists_what_is_left_open_passes(faults):
    assert faults("| some | `Family` | `reads`, `describe`, `change` (one), `change` (other) |\n") == []


def test_a_method_that_is_not_listed_is_named(faults):
    (fault,) = faults("| some | `Family` | `reads`, `change`, `change` |\n")
    assert fault.endswith("some: the virtual methods are `reads`, `describe`, `change`, `change`")


def test_a_method_that_became_final_may_not_be_listed(faults):
    assert faults("| some | `Family` | `infer`, `reads`, `describe`, `change`, `change` |\n")


def test_a_final_class_leaves_nothing_open(faults):
    assert faults("| some | `Family` | none |\n", BASE.replace("class Family :", "class Family final :")) == []


def test_more_than_six_are_refused(faults):
    header = "class Many {\n" + "".join(f"  virtual void m{i}() const;\n" for i in range(7)) + "};\n"
    listed = ", ".join(f"`m{i}`" for i in range(7))
    (fault,) = faults(f"| many | `Many` | {listed} |\n", header)
    assert "an author meets 7 virtual methods, more than 6" in fault


def test_a_base_that_is_gone_is_named(faults):
    assert faults("| some | `Gone` | none |\n") == ["src/ops/base/README.md: some: no header defines Gone"]


def test_a_page_without_a_table_is_refused(faults):
    assert faults("# base\n") == ["src/ops/base/README.md has no table of families"]

#include "tables.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "core/check.h"
#include "readers/table/table_file.h"

namespace penstock::bindings {
namespace {

namespace nb = nanobind;

/// What Python raised, without its traceback: messages about files are for people to read.
std::string words_of(const nb::python_error& error) {
  const auto text = nb::cast<std::string>(nb::str(error.value()));
  return text.empty() ? nb::cast<std::string>(error.type().attr("__name__")) : text;
}

/// A method of an object of Python's, called with the GIL held.
template <class Call>
auto called(Call&& call) {
  const nb::gil_scoped_acquire gil;
  try {
    return call();
  } catch (const nb::python_error& e) {
    const std::string words = words_of(e);
    if (e.matches(PyExc_MemoryError)) fail<OutOfMemory>("{}", words);
    if (e.matches(PyExc_OSError) || e.matches(PyExc_ImportError) || e.matches(PyExc_LookupError))
      fail<ArgumentError>("{}", words);
    if (e.matches(PyExc_TypeError)) fail<TypeError>("{}", words);
    fail<DataError>("{}", words);
  }
}

template <class T>
T& from_capsule(nb::handle capsule, const char* name) {
  void* inside = PyCapsule_GetPointer(capsule.ptr(), name);
  if (inside == nullptr) throw nb::python_error();
  return *static_cast<T*>(inside);
}

ArrowColumn column_from(nb::handle pair) {
  const nb::object schema = pair[0], array = pair[1];
  return {from_capsule<ArrowSchema>(schema, "arrow_schema"), from_capsule<ArrowArray>(array, "arrow_array")};
}

class PythonTable : public TableFile {
 public:
  explicit PythonTable(nb::object file)
      : name_(nb::cast<std::string>(file.attr("name"))), is_mapped_(nb::cast<bool>(file.attr("is_mapped"))) {
    for (const auto& [rows, bytes] : nb::cast<std::vector<std::pair<int64_t, int64_t>>>(file.attr("groups")))
      groups_.push_back({rows, bytes});
    file_ = hold(std::move(file));
  }
  const std::string& name() const override { return name_; }
  const std::vector<Group>& groups() const override { return groups_; }
  bool is_mapped() const override { return is_mapped_; }
  ArrowColumn indices() const override {
    return called([&] {
      const nb::object pair = file_->attr("indices");
      return pair.is_none() ? ArrowColumn() : column_from(pair);
    });
  }
  std::vector<ArrowColumn> load(size_t group) const override {
    try {
      return called([&] {
        std::vector<ArrowColumn> columns;
        for (nb::handle pair : file_->attr("load")(group)) columns.push_back(column_from(pair));
        return columns;
      });
    } catch (const ArgumentError& e) {
      fail<DataError>("{}", e.message());  // what was there when it was opened
    }
  }

 private:
  std::string name_;
  bool is_mapped_;
  std::vector<Group> groups_;
  std::shared_ptr<nb::object> file_;
};

void set_opener(nb::object open) {
  set_table_opener([held = hold(std::move(open))](const TableRequest& request) {
    return called([&] {
      std::vector<std::unique_ptr<TableFile>> files;
      for (nb::handle file : (*held)(request.format, request.paths, request.columns, request.check_crc))
        files.push_back(std::make_unique<PythonTable>(nb::borrow(file)));
      return files;
    });
  });
}

}  // namespace

void bind_tables(nb::module_& m) {
  using namespace nb::literals;
  m.def("set_table_opener", &set_opener, "open"_a,
        "Keeps open(format, paths, columns, check_crc) -> objects of `name`, `is_mapped`, `groups` (pairs of rows and "
        "bytes), `indices` (None, or as a column) and `load(group)`, which gives a pair of capsules of Arrow's for "
        "each column.");
}

}  // namespace penstock::bindings

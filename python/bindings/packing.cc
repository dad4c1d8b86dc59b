#include "packing.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "core/check.h"
#include "readers/caffe2/pack.h"

namespace penstock::bindings {
namespace {

int64_t pack_digits(const std::string& images, const std::string& labels, const std::string& directory, int quality) {
  const nb::gil_scoped_release released;
  return pack_idx(read_idx(images), read_idx(labels), directory, quality);
}

int64_t pack_given(const std::vector<std::string>& files, const std::optional<std::vector<int64_t>>& labels,
                   const std::string& directory) {
  const nb::gil_scoped_release released;
  return pack_files(FileList::of(files, labels, ""), directory);
}

int64_t pack_tree(const std::string& root, const std::vector<std::string>& filters, const std::string& directory) {
  const nb::gil_scoped_release released;
  return pack_files(FileList::scan(root, {.files = filters}), directory);
}

int64_t pack_list(const std::string& list, const std::string& root, const std::string& directory) {
  const nb::gil_scoped_release released;
  return pack_files(FileList::parse(list, root), directory);
}

int64_t pack_arrays(nb::handle images, nb::handle labels, const std::string& directory, int quality) {
  const Tensor pictures = import_dense(images), numbers = import_dense(labels);
  PENSTOCK_CHECK(numbers.view.dtype == DType::kInt32 && numbers.view.shape.ndim() == 1, TypeError,
                 "labels to pack must be int32 of one dimension, got {} {}", name_of(numbers.view.dtype),
                 to_string(numbers.view.shape));
  const auto* first = reinterpret_cast<const int32_t*>(numbers.view.data);
  const std::span<const int32_t> values(first, static_cast<size_t>(numbers.view.shape[0]));
  const nb::gil_scoped_release released;
  return pack_images(pictures.view, values, directory, quality);
}

}  // namespace

void bind_packing(nb::module_& m) {
  using namespace nb::literals;
  m.def("pack_idx", &pack_digits, "images"_a, "labels"_a, "directory"_a, "quality"_a);
  m.def("pack_files", &pack_given, "files"_a, "labels"_a.none(), "directory"_a);
  m.def("pack_tree", &pack_tree, "root"_a, "filters"_a, "directory"_a);
  m.def("pack_list", &pack_list, "list"_a, "root"_a, "directory"_a);
  m.def("pack_arrays", &pack_arrays, "images"_a, "labels"_a, "directory"_a, "quality"_a);
}

}  // namespace penstock::bindings

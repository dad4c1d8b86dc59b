#include "packing.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "readers/caffe2/pack.h"

namespace penstock::bindings {
namespace {

int64_t pack_digits(const std::string& images, const std::string& labels, const std::string& directory, int quality) {
  const nb::gil_scoped_release released;
  return pack_idx(read_idx(images), read_idx(labels), directory, quality);
}

int64_t pack_list(const std::vector<std::string>& files, const std::optional<std::vector<int64_t>>& labels,
                  const std::string& directory) {
  const nb::gil_scoped_release released;
  return pack_files(FileList::of(files, labels, ""), directory);
}

}  // namespace

void bind_packing(nb::module_& m) {
  using namespace nb::literals;
  m.def("pack_idx", &pack_digits, "images"_a, "labels"_a, "directory"_a, "quality"_a);
  m.def("pack_files", &pack_list, "files"_a, "labels"_a.none(), "directory"_a);
}

}  // namespace penstock::bindings

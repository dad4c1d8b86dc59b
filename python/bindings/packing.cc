#include "packing.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "core/check.h"
#include "readers/caffe2/pack.h"
#include "readers/lmdb/writer.h"
#include "readers/reader.h"
#include "readers/tfrecord/framing.h"
#include "readers/webdataset/tar.h"

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

/// A database that is written record by record, by a program that may be ended and begin again.
class PackedDatabase {
 public:
  explicit PackedDatabase(const std::string& directory) : writer_(directory, LmdbWriter::Begun::kResume) {}
  int64_t size() const { return writer_.size(); }
  void append(nb::bytes file, int32_t label) {
    writer_.append(packed_key(writer_.size()), packed_record({file.c_str(), file.size()}, label));
  }
  void save() { writer_.save(); }
  void finish() {
    const nb::gil_scoped_release released;
    writer_.finish();
  }

 private:
  LmdbWriter writer_;
};

std::vector<std::string> first_members(const std::string& path, size_t most) {
  const nb::gil_scoped_release released;
  std::vector<std::string> names;
  naming_source([&] { return path; },
                [&] {
                  const PosixFile file = PosixFile::open_named(path);
                  TarWalk walk(file);
                  for (auto member = walk.next(); member && names.size() < most; member = walk.next())
                    names.push_back(std::move(member->name));
                });
  return names;
}

nb::bytes frame(nb::bytes record) {
  const std::string framed = tfrecord_frame({record.c_str(), record.size()});
  return nb::bytes(framed.data(), framed.size());
}

}  // namespace

void bind_packing(nb::module_& m) {
  using namespace nb::literals;
  m.def("pack_idx", &pack_digits, "images"_a, "labels"_a, "directory"_a, "quality"_a);
  m.def("pack_files", &pack_given, "files"_a, "labels"_a.none(), "directory"_a);
  m.def("pack_tree", &pack_tree, "root"_a, "filters"_a, "directory"_a);
  m.def("pack_list", &pack_list, "list"_a, "root"_a, "directory"_a);
  nb::class_<PackedDatabase>(m, "PackedDatabase")
      .def(nb::init<const std::string&>(), "directory"_a)
      .def("__len__", &PackedDatabase::size)
      .def("append", &PackedDatabase::append, "file"_a, "label"_a)
      .def("save", &PackedDatabase::save)
      .def("finish", &PackedDatabase::finish);
  m.def("first_tar_members", &first_members, "path"_a, "most"_a, "Names of files in an archive, compressed or not.");
  m.def("tfrecord_frame", &frame, "record"_a);
  m.def("pack_arrays", &pack_arrays, "images"_a, "labels"_a, "directory"_a, "quality"_a);
}

}  // namespace penstock::bindings

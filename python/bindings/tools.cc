#include "tools.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "codec/codec.h"
#include "codec/engine.h"
#include "codec/jpeg/encode.h"
#include "codec/libraries.h"
#include "codec/png/encode.h"
#include "codec/sound/library.h"
#include "core/cores.h"
#include "kernels/simd.h"

namespace penstock::bindings {
namespace {

nb::bytes to_bytes(const std::vector<uint8_t>& file) { return nb::bytes(file.data(), file.size()); }

nb::bytes png_of(nb::handle image, int level) {
  const Tensor tensor = import_dense(image);
  return to_bytes(codec::encode_png(tensor.view, level));
}

nb::bytes jpeg_of(nb::handle image, int quality, bool subsample) {
  const Tensor tensor = import_dense(image);
  const int share = subsample ? 2 : 1;
  return to_bytes(codec::encode_jpeg(tensor.view, {.quality = quality, .subsampling = {share, share}}));
}

std::vector<std::string_view> formats() {
  std::vector<std::string_view> names;
  for (const codec::FormatEntry* format : codec::formats()) names.push_back(format->name);
  return names;
}

// (height, width, channels) of a picture as it is stored, by its header.
auto peek_shape(nb::bytes file) {
  const codec::Info info = codec::peek({reinterpret_cast<const uint8_t*>(file.c_str()), file.size()});
  return std::tuple(info.height, info.width, info.channels);
}

// (name, version, what it lacks, why it is not there) of each library that pictures go through.
auto picture_libraries() {
  std::vector<std::tuple<std::string, std::string, std::vector<std::string>, std::string>> found;
  for (const codec::Library& library : codec::libraries())
    found.emplace_back(library.name, library.version, library.lacks, library.why);
  return found;
}

// (version of libsndfile, why it cannot be used): one of the two is empty.
auto sound_library() {
  const codec::sound::Library& library = codec::sound::Library::get();
  return std::tuple(library.why.empty() ? library.version : std::string(), library.why);
}

}  // namespace

void bind_tools(nb::module_& m) {
  using namespace nb::literals;
  m.def("encode_png", &png_of, "image"_a, "level"_a = 3);
  m.def("encode_jpeg", &jpeg_of, "image"_a, "quality"_a, "subsample"_a);
  m.def("peek_shape", &peek_shape, "file"_a);
  m.def("formats", &formats);
  m.def("picture_libraries", &picture_libraries);
  m.def("sound_library", &sound_library);
  m.def("simd_target", &kernels::simd_target);
  m.def("usable_cores", &usable_cores);
}

}  // namespace penstock::bindings

#include "readers/caffe2/pack.h"

#include <fcntl.h>

#include <array>
#include <vector>

#include "codec/jpeg/encode.h"
#include "core/check.h"
#include "readers/caffe2/tensor_protos.h"
#include "readers/file/posix_file.h"
#include "readers/lmdb/writer.h"
#include "readers/reader.h"

namespace penstock {
namespace {

constexpr int64_t kMaxRecords = 100'000'000;  // keys of 8 digits sort like numbers

/// Writes `count` records, made by record(i).
template <class Record>
int64_t pack(int64_t count, const std::string& directory, Record&& record) {
  PENSTOCK_CHECK(count > 0 && count <= kMaxRecords, ArgumentError, "from 1 to {} samples can be packed, got {}",
                 kMaxRecords, count);
  LmdbWriter writer(directory);
  for (int64_t i = 0; i < count; ++i) writer.append(packed_key(i), record(i));
  writer.finish();
  return count;
}

}  // namespace

std::string packed_record(std::string_view file, int32_t label) {
  std::array<TensorProto, 2> protos;
  protos[0].dims = {1};
  protos[0].type = ProtoType::kString;
  protos[0].strings = {file};
  protos[1].dims = {1};
  protos[1].type = ProtoType::kInt32;
  protos[1].int32s = {label};
  return serialise(protos);
}

std::string packed_key(int64_t index) {
  PENSTOCK_CHECK(index >= 0 && index < kMaxRecords, ArgumentError, "a database holds {} records, not {}", kMaxRecords,
                 index + 1);
  return fmt::format("{:08d}", index);
}

int64_t pack_files(const FileList& files, const std::string& directory) {
  std::string content;
  return pack(files.size(), directory, [&](int64_t i) {
    const std::string path = files.full_path(i);
    naming_source([&] { return path; },
                  [&] {
                    const PosixFile file = PosixFile::open(AT_FDCWD, path.c_str());
                    const int64_t size = file.size();
                    PENSTOCK_CHECK(size > 0, DataError, "file is empty (0 bytes)");
                    content.resize(static_cast<size_t>(size));
                    file.read(std::as_writable_bytes(std::span(content)));
                  });
    return packed_record(content, files.label(i));
  });
}

int64_t pack_images(const TensorView& images, std::span<const int32_t> labels, const std::string& directory,
                    int quality) {
  const Shape& shape = images.shape;
  PENSTOCK_CHECK(images.dtype == DType::kUInt8, TypeError, "images to pack must be uint8, got {}",
                 name_of(images.dtype));
  PENSTOCK_CHECK(shape.ndim() == 3 || shape.ndim() == 4, DataError,
                 "images must have 3 dimensions (count, height, width), or 4 with channels, got {}", to_string(shape));
  PENSTOCK_CHECK(static_cast<int64_t>(labels.size()) == shape[0], DataError, "{} images need as many labels, got {}",
                 shape[0], labels.size());
  TensorView image{{DType::kUInt8, {shape[1], shape[2], shape.ndim() == 4 ? shape[3] : 1}, "HWC"}, images.data};
  return pack(shape[0], directory, [&](int64_t i) {
    image.data = images.data + static_cast<size_t>(i) * image.nbytes();
    const std::vector<uint8_t> file = codec::encode_jpeg(image, {.quality = quality, .subsampling = {1, 1}});
    return packed_record({reinterpret_cast<const char*>(file.data()), file.size()}, labels[static_cast<size_t>(i)]);
  });
}

int64_t pack_idx(const IdxArray& images, const IdxArray& labels, const std::string& directory, int quality) {
  PENSTOCK_CHECK(images.shape.ndim() == 3, DataError, "images must have 3 dimensions (count, height, width), got {}",
                 to_string(images.shape));
  PENSTOCK_CHECK(labels.shape.ndim() == 1, DataError, "labels must have 1 dimension, got {}", to_string(labels.shape));
  auto* pixels = reinterpret_cast<std::byte*>(const_cast<uint8_t*>(images.data.data()));  // read only
  const std::vector<int32_t> numbers(labels.data.begin(), labels.data.end());
  return pack_images({{DType::kUInt8, images.shape, {}}, pixels}, numbers, directory, quality);
}

}  // namespace penstock

// A folder of small JPEGs whose labels say which is which, and graphs over it.
#pragma once

#include <fmt/format.h>

#include <penstock/graph.h>
#include <penstock/pipeline.h>

#include "codec/jpeg/encode.h"
#include "core/temp_dir.h"

namespace penstock::test {

class Folder {
 public:
  /// Files 000.jpg, 001.jpg, ... of growing width.
  explicit Folder(int files) {
    for (int i = 0; i < files; ++i) {
      std::vector<uint8_t> pixels(static_cast<size_t>(16 * (16 + i) * 3));
      for (size_t p = 0; p < pixels.size(); ++p) pixels[p] = static_cast<uint8_t>(p * 7 + static_cast<size_t>(i) * 31);
      TensorView view{{DType::kUInt8, {16, 16 + i, 3}, "HWC"}, reinterpret_cast<std::byte*>(pixels.data())};
      const auto bytes = codec::encode_jpeg(view);
      files_.push_back(
          dir_.write(fmt::format("{:03}.jpg", i), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
      labels_.push_back(i);
    }
  }
  /// Replaces the file's content by something that is no picture.
  void spoil(int i) { dir_.write(fmt::format("{:03}.jpg", i), "this is not a picture at all"); }
  void remove(int i) { std::filesystem::remove(files_[static_cast<size_t>(i)]); }

  std::map<std::string, ArgValue> reader_args() const { return {{"files", files_}, {"labels", labels_}}; }

  /// readers.file and, behind it, decoders.image; outputs (pixels, label).
  Graph decoding(std::map<std::string, ArgValue> more = {}) const {
    Graph graph;
    auto args = reader_args();
    args.merge(more);
    const auto read = graph.add({.op = "readers.file", .args = std::move(args), .name = "files"});
    const auto image = graph.add({.op = "decoders.image", .inputs = {read[0]}, .origin = "  train.py:7"});
    graph.set_outputs({image[0], read[1]});
    return graph;
  }

 private:
  TempDir dir_;
  std::vector<std::string> files_;
  std::vector<int64_t> labels_;
};

inline std::vector<int> labels_of(const Batch& batch, size_t output = 1) {
  std::vector<int> labels;
  for (int64_t i = 0; i < batch.outputs[output].size(); ++i) labels.push_back(*batch.outputs[output][i].as<int32_t>());
  return labels;
}

/// All bytes of an output, sample after sample.
inline std::string bytes_of(const TensorList& list) {
  std::string all;
  for (int64_t i = 0; i < list.size(); ++i) all.append(reinterpret_cast<const char*>(list[i].data), list[i].nbytes());
  return all;
}

}  // namespace penstock::test

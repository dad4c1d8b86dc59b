// A JPEG writer for packing data sets and for contact sheets.
#pragma once

#include <cstdint>
#include <vector>

#include <penstock/tensor.h>

namespace penstock::codec {

/// How many luma samples share one of chroma, horizontally and vertically.
struct Subsampling {
  int horizontal = 2, vertical = 2;
};

struct JpegOptions {
  int quality = 90;           ///< 1 to 100, libjpeg's scale
  Subsampling subsampling{};  ///< 1 or 2 or 4 each; ignored for one channel
  bool progressive = false;
};

/// @param image uint8, (H, W, C) of 1 (gray) or 3 (RGB) channels
/// @throws TypeError, ArgumentError
std::vector<uint8_t> encode_jpeg(const TensorView& image, const JpegOptions& options = {});

}  // namespace penstock::codec

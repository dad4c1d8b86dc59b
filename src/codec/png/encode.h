// A PNG writer for packing data sets and for contact sheets.
#pragma once

#include <cstdint>
#include <vector>

#include <penstock/tensor.h>

namespace penstock::codec {

/// @param image uint8 or uint16, (H, W, C) of 1 (gray), 2 (gray, alpha), 3 (RGB) or 4 (RGBA) channels
/// @param level of compression, 0 (none, fast) to 9
/// @throws TypeError, ArgumentError
std::vector<uint8_t> encode_png(const TensorView& image, int level = 3);

}  // namespace penstock::codec

// JPEG: baseline, extended, progressive and arithmetic files of 8 bits, and where libjpeg-turbo 3 is loaded of 12 bits
// and lossless; gray, YCbCr with every subsampling, RGB, CMYK and YCCK. Penstock's own decoder does the
// sequential Huffman files of 8 bits, libjpeg-turbo the rest: docs/design/jpeg.md.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::jpeg {

/// Files of more scans are refused: each scan of a progressive file costs a pass over the whole picture.
inline constexpr int kMaxScans = 256;

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"JPEG", recognises, peek, make_engine};

}  // namespace penstock::codec::jpeg

// The marker segments of a JPEG file, up to its entropy-coded data.
#pragma once

#include <cstdint>
#include <span>

#include "codec/jpeg/frame.h"

namespace penstock::codec::jpeg {

/// True where the file is one that our own decoder takes: baseline or extended sequential, Huffman, 8 bits, one scan of
/// all components, and everything exactly as the standard has it. False is no verdict: progressive files, damaged
/// headers and merely odd ones are libjpeg-turbo's to decode or to refuse.
bool read_headers(std::span<const uint8_t> bytes, Headers& headers);

}  // namespace penstock::codec::jpeg

// JPEG 2000 through OpenJPEG: JP2 files and bare codestreams, gray or in colour, with and without alpha, subsampled
// chroma, palettes, 1 to 16 bits.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::jpeg2000 {

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"JPEG 2000", recognises, peek, make_engine};

}  // namespace penstock::codec::jpeg2000

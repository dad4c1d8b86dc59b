// TIFF through libtiff: the first picture of a file, in strips or tiles, 1 to 16 and 32 bits, gray, palette, RGB, CMYK,
// JPEG in YCbCr, any number of channels, interleaved or in planes.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::tiff {

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"TIFF", recognises, peek, make_engine};

}  // namespace penstock::codec::tiff

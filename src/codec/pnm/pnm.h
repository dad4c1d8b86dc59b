// Portable bitmaps, graymaps and pixmaps, plain and raw (P1 to P6). Samples are scaled from the file's highest value to
// the full range of 8 bits, or of 16 bits where that value is above 255.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::pnm {

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"PNM", recognises, peek, make_engine};

}  // namespace penstock::codec::pnm

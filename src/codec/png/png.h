// PNG through libpng: 1 to 16 bits, gray, palette, colour, alpha, interlaced or not. As in DALI, tRNS chunks are
// ignored: only a real alpha channel counts as one.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::png {

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"PNG", recognises, peek, make_engine};

}  // namespace penstock::codec::png

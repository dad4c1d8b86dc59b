// Windows and OS/2 bitmaps: palettes of 1, 4 and 8 bits with and without run lengths, 16, 24 and 32 bits with any
// masks. A palette of grays makes one channel, as in DALI; an alpha mask makes four.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::bmp {

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"BMP", recognises, peek, make_engine};

}  // namespace penstock::codec::bmp

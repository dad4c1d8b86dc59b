// GIF through giflib: the first frame, or all of an animation, composed as Pillow composes them.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::gif {

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"GIF", recognises, peek, make_engine};

}  // namespace penstock::codec::gif

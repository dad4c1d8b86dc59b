// WebP through libwebp: lossy and lossless, with and without alpha. Of an animation the first frame, as in DALI, or
// all of them.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::webp {

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"WebP", recognises, peek, make_engine};

}  // namespace penstock::codec::webp

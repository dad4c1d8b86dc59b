// HEIF (HEIC, of phones) and AVIF through libheif, where that is installed: the primary picture of a file.
#pragma once

#include "codec/engine.h"

namespace penstock::codec::heif {

bool recognises(std::span<const uint8_t> bytes);
Info peek(std::span<const uint8_t> bytes);
std::unique_ptr<Engine> make_engine();

inline constexpr FormatEntry kEntry{"AVIF/HEIF", recognises, peek, make_engine};

}  // namespace penstock::codec::heif

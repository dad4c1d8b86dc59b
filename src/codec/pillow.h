// What Pillow makes of files: the pixels of Image.open(file).convert("RGB"), for programs that come from torchvision.
#pragma once

#include <cstddef>

#include "codec/engine.h"

namespace penstock::codec {

/// True where Pillow's pixels are others than those of finish.h.
bool pillow_differs(const Info& info);

/// Makes RGB of 8 bits of `count` pixels as stored (what engines hand over for ImageType::kAnyData), as Pillow 13 does:
/// inks are rounded to nearest, associated alpha is divided out and truncated, colours of 16 bits lose their lower
/// byte, gray of more than 8 bits, signed and floating-point samples are clipped to 0..255.
void pillow_rgb(const std::byte* stored, const Info& info, const Samples& samples, size_t count, uint8_t* rgb);

}  // namespace penstock::codec

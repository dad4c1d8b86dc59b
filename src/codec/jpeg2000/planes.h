// OpenJPEG's planes to pixels.
#pragma once

#include <openjpeg.h>

#include <cstddef>

#include "codec/engine.h"
#include "codec/jpeg2000/header.h"

namespace penstock::codec::jpeg2000 {

/// Writes a region that the planes cover, pixel by pixel, all channels scaled to the header's bits; YCC becomes RGB.
void interleave(const opj_image_t& image, const Header& header, const Region& region, std::byte* out);

}  // namespace penstock::codec::jpeg2000

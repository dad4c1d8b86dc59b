// From an engine's samples to what was asked for: orientation, colour, depth and element type, once for all formats.
#pragma once

#include <cstddef>

#include "codec/engine.h"

namespace penstock::codec {

/// True where an engine's samples, unless they have to be turned, are the result.
bool is_finished(const Samples& samples, const Request& request);

/// Converts a stored region (rows without gaps) to the pixels as shown, HWC, in the request's type and dtype.
/// Gray is .299 R + .587 G + .114 B, rounded to the samples' depth; YCbCr is BT.601 in studio range; full range becomes
/// full range: the highest integer, or 1 for floating-point types; what is negative becomes 0 where the type has no
/// sign.
/// @throws TypeError for a dtype that pictures are not converted to
void finish(const std::byte* stored, const Samples& samples, const Region& region, int orientation,
            const Request& request, std::byte* out);

}  // namespace penstock::codec

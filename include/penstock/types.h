// Enumerations that appear as arguments. Numbers and names are DALI's; the schema prints them for every language.
#pragma once

#include <cstdint>

namespace penstock {

/// Colour space of a decoded image.
enum class ImageType : int32_t { kRGB = 0, kBGR = 1, kGray = 2, kYCbCr = 3, kAnyData = 4 };

/// Resampling filter.
enum class InterpType : int32_t { kNN = 0, kLinear = 1, kCubic = 2, kLanczos3 = 3, kTriangular = 4, kGaussian = 5 };

}  // namespace penstock

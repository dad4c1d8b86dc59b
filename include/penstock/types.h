/// @file
/// Enumerations that appear as arguments. Numbers and names are DALI's; the schema prints them for every language.
#pragma once

#include <cstdint>

namespace penstock {

/// Colour space of a decoded image.
enum class ImageType : int32_t {
  kRGB = 0,      ///< red, green, blue
  kBGR = 1,      ///< blue, green, red
  kGray = 2,     ///< brightness alone: one channel
  kYCbCr = 3,    ///< brightness and two differences of colour, from 16 to 235 and 240
  kAnyData = 4,  ///< the channels that the file has
};

/// Resampling filter.
enum class InterpType : int32_t {
  kNN = 0,          ///< the nearest pixel
  kLinear = 1,      ///< linear between neighbours; with antialiasing a triangle where an axis shrinks
  kCubic = 2,       ///< cubic, over four pixels
  kLanczos3 = 3,    ///< Lanczos's window of three lobes
  kTriangular = 4,  ///< a triangle that widens where an axis shrinks
  kGaussian = 5,    ///< a bell
};

}  // namespace penstock

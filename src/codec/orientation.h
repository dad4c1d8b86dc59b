// EXIF orientation as index maths: shown(y, x) = stored(...) for the eight ways a camera can be held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/engine.h"

namespace penstock::codec {

/// True where height and width of the shown picture are the stored width and height.
constexpr bool swaps_axes(int orientation) { return orientation >= 5; }
/// True where the shown picture runs against the stored rows, or against the stored columns.
constexpr bool flips_rows(int o) { return o == 3 || o == 4 || o == 6 || o == 7; }
constexpr bool flips_columns(int o) { return o == 2 || o == 3 || o == 7 || o == 8; }

/// The stored rectangle that is shown as `shown`, in a stored picture of height x width.
Region to_stored(const Region& shown, int64_t height, int64_t width, int orientation);

/// How to walk over a stored region in the order in which it is shown; in bytes.
struct Walk {
  ptrdiff_t start = 0, row_step = 0, pixel_step = 0;
  int64_t height = 0, width = 0;  // as shown
};
Walk walk(const Region& stored, int orientation, size_t pixel_bytes);

/// The orientation that an EXIF block (beginning with its TIFF header, "II" or "MM") asks for; 1 if it says none.
/// Damaged blocks count as saying none: cameras and editors write many.
int exif_orientation(std::span<const uint8_t> tiff);

}  // namespace penstock::codec

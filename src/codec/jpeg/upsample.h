// Rows of a component to rows of the picture, as libjpeg's fancy upsampling makes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/jpeg/frame.h"

namespace penstock::codec::jpeg {

/// One axis doubled: 3/4 of the nearer sample and 1/4 of the farther. Rounding alternates, so that no bias arises.
/// @param odd the result is the second of the two that share the nearer sample
constexpr int triangle(int near, int far, bool odd) { return (3 * near + far + (odd ? 2 : 1)) >> 2; }

/// Both axes: of columns that were summed 3 : 1 over the rows.
constexpr int triangle_of_sums(int near, int far, bool odd) { return (3 * near + far + (odd ? 7 : 8)) >> 4; }

/// Functions below may read and write this many elements more than they are asked for.
inline constexpr size_t kRowSlack = 64;

/// Blends two rows of `n` samples.
void triangle_rows(const uint8_t* near, const uint8_t* far, size_t n, bool odd, uint8_t* out);

/// Makes 2 n samples of n; in[-1] and in[n] must be there.
void triangle_columns(const uint8_t* in, size_t n, uint8_t* out);

/// Makes 2 n samples of n in each of two rows; [-1] and [n] must be there.
void triangle_both(const uint8_t* near, const uint8_t* far, size_t n, uint8_t* out);

}  // namespace penstock::codec::jpeg

// The least, the greatest and the middle element under a window, on the CPU. Types are those of kRankTypes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>

#include "kernels/neighbourhood/window.h"

namespace penstock::kernels {

/// Writes the greatest (or least) element under the window of one picture. A constant border never is the result.
/// @param in  what is held: [y][x][channel], densely
/// @throws TypeError for types other than uint8, int16, uint16, int32 and float
void extreme(const WindowAxes& axes, int64_t channels, Border border, bool greatest, DType dtype, const std::byte* in,
             std::byte* out);

/// Writes the middle one of an odd number of elements. @throws TypeError likewise
void median(const WindowAxes& axes, int64_t channels, Border border, DType dtype, const std::byte* in, std::byte* out);

}  // namespace penstock::kernels

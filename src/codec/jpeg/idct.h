// Blocks of coefficients to samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace penstock::codec::jpeg {

/// Rows of samples may be written this many bytes beyond the last block.
inline constexpr size_t kBlockSlack = 32;

/// Dequantises and transforms blocks that lie side by side: eight rows of 8 * `count` samples. Equals libjpeg-turbo's
/// islow transform bit for bit, also where coefficients overflow.
/// @param blocks where the blocks lie, 64 coefficients each in natural order
/// @param quantisation 64 values in natural order
/// @param stride bytes between rows of `out`
void inverse_dct(const int16_t* const* blocks, size_t count, const uint16_t* quantisation, uint8_t* out, size_t stride);

}  // namespace penstock::codec::jpeg

// Rows of 8-bit pixels, vectorised for whatever the processor has.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>

namespace penstock::kernels {

/// Splits `n` pixels of three interleaved channels into three planes; backwards when `mirrored`.
void deinterleave3(const uint8_t* in, size_t n, uint8_t* plane0, uint8_t* plane1, uint8_t* plane2, bool mirrored);

/// Writes `n` pixels of one or three interleaved channels in reverse order. The two rows must not overlap.
void mirror_pixels(const uint8_t* in, size_t n, int channels, uint8_t* out);

/// out[i] = (in[i] - mean[i]) * inverse[i], in float; float16 saturates.
void normalize_row(const uint8_t* in, size_t n, const float* mean, const float* inverse, float* out);
void normalize_row(const uint8_t* in, size_t n, const float* mean, const float* inverse, float16* out);

}  // namespace penstock::kernels

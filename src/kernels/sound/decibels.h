// Decibels, and differences of neighbouring samples.
#pragma once

#include <cstdint>

namespace penstock::kernels {

/// factor * log10(max(least, in[i] * scale)) for each of `count` numbers; NaN counts as `least`.
void decibels(const float* in, int64_t count, float scale, float least, float factor, float* out);

/// The largest number, without regard to NaN; the lowest float where there is none.
float largest(const float* in, int64_t count);

/// out[i] = in[i] - factor * in[i - 1], with `before` in the place of in[-1]. The two share no memory.
void emphasize(const float* in, int64_t count, float factor, float before, float* out);

}  // namespace penstock::kernels

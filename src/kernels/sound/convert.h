// Samples of sound in other types. Integers stand for numbers in [-1, 1]: signed ones for multiples of 1 / max; 0 of
// unsigned ones is -1, their largest number 1. Floating types hold the number itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>

namespace penstock::kernels {

/// to[i] = the number that from[i * stride] stands for.
/// @throws TypeError for other types than float, float16, float64 and integers of up to 32 bits
void sound_to_float(DType type, const std::byte* from, int64_t stride, int64_t count, float* to);

/// to[i] = what stands for from[i], rounded, at most the largest number of the type; NaN becomes 0.
/// @throws as sound_to_float()
void sound_from_float(const float* from, int64_t count, DType type, std::byte* to);

}  // namespace penstock::kernels

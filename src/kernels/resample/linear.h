// Linear interpolation between two pixels, for many output pixels at a time: every picture that is resized has some
// hundred of them along each axis.
#pragma once

#include <cstdint>

namespace penstock::kernels {

/// Pixels from `begin` to `end`, all of whose taps lie inside the source. For output pixel i, i + `offset` steps of
/// `step` from `origin` is a pixel before where it falls on the source.
struct LinearPixels {
  int32_t begin = 0, end = 0;
  float offset = 0, step = 1, origin = 0;
};

/// The first of the two source pixels into first[i], and the weights of both, whose sum is 1, into weights[2 i].
void linear_taps(const LinearPixels& pixels, int32_t* first, float* weights);

}  // namespace penstock::kernels

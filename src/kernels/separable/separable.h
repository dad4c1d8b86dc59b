// Convolution along axes, one after the other: Gaussian and box filters, and all others whose window is a product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <penstock/dtype.h>

#include "kernels/separable/job.h"

namespace penstock::kernels {

/// One axis of a sample, and the part of it that is wanted.
struct SeparableAxis {
  int64_t size = 1;                ///< of the whole sample
  int64_t held = 0, in_extent = 1;  ///< indices that the input holds: see separable_need()
  int64_t first = 0, out_extent = 1;
  std::span<const float> weights;  ///< in memory of who runs the job; empty: elements stay as they are along this axis
  int64_t anchor = 0;              ///< tap that falls on the element itself; (taps - 1) / 2 for windows of odd sizes
};

/// Indices of an axis that make [first, first + extent) of the result, in whole samples of `size`: the window's margins
/// added, all of the axis where a border folds farther than the window reaches.
struct SeparableNeed {
  int64_t begin = 0, end = 0;
};
SeparableNeed separable_need(int64_t first, int64_t extent, int64_t size, int64_t taps, int64_t anchor, Border border);

/// The job of a dense sample of outer x axes[0] x axes[1] x ... x inner elements: `outer` counts frames or planes, which
/// are independent, `inner` interleaved channels. All but where things lie: in, out and between.
/// @param axes up to three, outermost first
/// @throws ArgumentError where an axis has 2^31 elements or more
SeparableJob separable_job(int64_t outer, std::span<const SeparableAxis> axes, int64_t inner, Border border);

/// Floats that the first and the second memory between passes hold; 0: there is none.
struct SeparableBetween {
  int64_t floats[2] = {};
  int64_t total() const { return floats[0] + floats[1]; }
};
SeparableBetween separable_between(const SeparableJob& job);

/// The parameters of a launch, which grow by each of its jobs. All must have the same number of passes.
void add_to_launch(SeparableParameters& parameters, const SeparableJob& job);

/// Runs the job on the CPU, where all its addresses are the host's. Any window gives the same bits as that part of the
/// whole, and a GPU gives the same bits, too.
/// @throws TypeError for other types than kSeparable's
void run_separable(const SeparableJob& job, DType in, DType out);

}  // namespace penstock::kernels

// A pixel put together from others: sums along y, then x, then z. The CPU's own resampling may go another way, so
// floats differ in the last bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/elements/job.h"

// nvcc writes loops of unknown length out four times, with registers that lanes need: 370 us a batch instead of 340.
// It may do so with an innermost loop, which else waits for memory at each turn.
#ifdef __CUDACC__
#define PENSTOCK_KEEP_LOOP _Pragma("unroll 1")
#else
#define PENSTOCK_KEEP_LOOP
#endif

namespace penstock::kernels {

/// Makes the tables of axes that have a formula, if the program has such; one of `threads` that share that work.
constexpr void make_taps(const ElementJob& job, int32_t thread, int32_t threads) {
  if (job.room_bytes == 0) return;
  auto* const table = reinterpret_cast<ResampleTable*>(job.program->immediate[0]);
  std::byte* next = job.room;
  for (TapAxis* axis : {&table->z, &table->y, &table->x}) {
    const LinearAxis& formula = axis->formula;
    if (formula.size == 0) continue;
    auto* const first = reinterpret_cast<int32_t*>(next);
    auto* const weights = reinterpret_cast<float*>(first + formula.size);
    next += formula.bytes();
    if (thread == 0) axis->first = first, axis->weights = weights;
    for (int32_t i = thread; i < formula.size; i += threads) first[i] = formula.tap(i, weights + 2 * i);
  }
}

/// Weights of one pixel's taps.
struct TapWeights {
  const float *z, *y, *x;
};

/// Three lanes that lie side by side, of pixels in one plane with so many taps along y.
/// @tparam kAcross taps along x, 0: any
template <int kTaps, int kAcross, class T, int kWidth>
constexpr void sum_rgb(const T* from, const ResampleTable& taps, const float* wy, const float* wx,
                       float (&sum)[kWidth]) {
  float weights[kTaps];
  for (int i = 0; i < kTaps; ++i) weights[i] = wy[i];
  const auto column = [&](float weight) {
    float down[3] = {};
    for (int i = 0; i < kTaps; ++i)
      for (int lane = 0; lane < 3; ++lane)
        down[lane] = std::fma(weights[i], static_cast<float>(from[i * taps.y.stride + lane]), down[lane]);
    for (int lane = 0; lane < 3; ++lane) sum[lane] = std::fma(weight, down[lane], sum[lane]);
    from += taps.x.stride;
  };
  if constexpr (kAcross > 0) {
    for (int j = 0; j < kAcross; ++j) column(wx[j]);
  } else {
    PENSTOCK_KEEP_LOOP
    for (const float* end = wx + taps.x.taps; wx < end; ++wx) column(*wx);
  }
}

/// Any taps, `lanes` of pixels that are so far apart.
/// @tparam kCount of lanes that lie side by side in one plane, 0: any
template <int kCount, class T, int kWidth>
constexpr void sum_taps(const T* from, int32_t lane_stride, const ResampleTable& taps, const TapWeights& weights,
                        int32_t lanes, float (&sum)[kWidth]) {
  constexpr int kMost = kCount > 0 ? kCount : kWidth;
  const int32_t planes = kCount > 0 ? 1 : taps.z.taps, apart = kCount > 0 ? 1 : lane_stride;
  for (int32_t k = 0; k < planes; ++k) {
    float plane[kMost] = {};
    PENSTOCK_KEEP_LOOP
    for (int32_t j = 0; j < taps.x.taps; ++j) {
      const T* column = from + k * taps.z.stride + j * taps.x.stride;
      float down[kMost] = {};
      for (int32_t i = 0; i < taps.y.taps; ++i, column += taps.y.stride)
        for (int lane = 0; lane < kMost; ++lane)
          if (kCount > 0 || lane < lanes)
            down[lane] = std::fma(weights.y[i], static_cast<float>(column[lane * apart]), down[lane]);
      for (int lane = 0; lane < kMost; ++lane) plane[lane] = std::fma(weights.x[j], down[lane], plane[lane]);
    }
    // One plane is taken as it is: its weight is 1.
    for (int lane = 0; lane < kMost; ++lane)
      sum[lane] = planes == 1 ? plane[lane] : std::fma(weights.z[k], plane[lane], sum[lane]);
  }
}

}  // namespace penstock::kernels

#undef PENSTOCK_KEEP_LOOP

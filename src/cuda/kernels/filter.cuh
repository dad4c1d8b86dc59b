// Correlation with windows of any extents, by strips.
#pragma once

#include <type_traits>

#include "cuda/support/quads.cuh"
#include "cuda/support/strips.cuh"
#include "cuda/support/threads.cuh"
#include "cuda/support/types.cuh"
#include "kernels/neighbourhood/job.h"

namespace penstock::cuda {

template <class T>
__device__ float4 to_floats(const Quad<T>& quad) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    // A byte in the last place of 2^23, which is then taken off, needs fewer instructions than a conversion.
    const auto one = [&](uint32_t place) {
      return __uint_as_float(__byte_perm(quad.word, 0x4b000000u, 0x7440u | place)) - 8388608.f;
    };
    return {one(0), one(1), one(2), one(3)};
  } else {
    return {to_float(quad.at[0]), to_float(quad.at[1]), to_float(quad.at[2]), to_float(quad.at[3])};
  }
}

template <class T>
__device__ Quad<T> converted(const float4& from) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    // As convert() does: half away from zero is upwards here, and a sum that is rounded down passes no whole number.
    const auto one = [](float x) {
      x = __fadd_rd(fminf(fmaxf(x, 0.f), 255.f), 0.5f);
      return __float_as_uint(__fadd_rd(x, 8388608.f));
    };
    return {__byte_perm(__byte_perm(one(from.x), one(from.y), 0x0040), __byte_perm(one(from.z), one(from.w), 0x0040),
                        0x5410)};
  } else {
    return {convert<T>(from.x), convert<T>(from.y), convert<T>(from.z), convert<T>(from.w)};
  }
}

__device__ inline void add_products(float4& sums, float weight, const float4& values) {
  sums.x = fmaf(weight, values.x, sums.x);
  sums.y = fmaf(weight, values.y, sums.y);
  sums.z = fmaf(weight, values.z, sums.z);
  sums.w = fmaf(weight, values.w, sums.w);
}

/// Rows of strips: fewer where each element takes a register.
template <class In>
inline constexpr int kFilterRows = std::is_same_v<In, uint8_t> ? kStripRows : kStripRows / 2;

/// Weights of the rows of a strip for an element that its windows see; any value for rows whose windows do not.
template <int kRows>
struct alignas(16) RowWeights {
  float at[kRows];
};
inline constexpr int32_t kMostRowWeights = 768;  ///< that shared memory holds

/// Whether a filter's weights find room there.
template <int kRows>
__device__ bool fits_shared(const kernels::FilterJob& job) {
  const auto& [az, ay, ax] = job.axes;
  return ax.taps <= kMostRowWeights && ay.taps <= kMostRowWeights &&
         int64_t{az.taps} * (ay.taps + kRows - 1) * ax.taps <= kMostRowWeights;
}

/// This thread's share of bringing a filter's weights into shared memory: [plane][row that a strip sees][column].
template <int kRows>
__device__ void spread_weights(const kernels::FilterJob& job, const float* filter, RowWeights<kRows>* to) {
  const int32_t height = job.axes[1].taps, width = job.axes[2].taps, seen = height + kRows - 1;
  const int32_t total = job.axes[0].taps * seen * width * kRows;
  for (auto n = static_cast<int32_t>(threadIdx.x); n < total; n += kStripThreads) {
    const int32_t r = n % kRows, place = n / kRows, column = place % width;
    const int32_t plane = place / width / seen, row = place / width % seen - r;
    to[place].at[r] = row >= 0 && row < height ? filter[(plane * height + row) * width + column] : 0;
  }
}

/// Weights as they lie in shared memory.
template <int kRows>
struct SharedWeights {
  const RowWeights<kRows>* all;
  template <class Window>
  __device__ const RowWeights<kRows>& of(const Window& window, int32_t plane, int32_t t, int32_t column) const {
    return all[(plane * (window.height + kRows - 1) + t) * window.width + column];
  }
};
/// Weights as the operator gets them.
template <int kRows>
struct GivenWeights {
  const float* all;
  template <class Window>
  __device__ RowWeights<kRows> of(const Window& window, int32_t plane, int32_t t, int32_t column) const {
    RowWeights<kRows> rows{};
    const float* of_plane = all + int64_t{plane} * window.height * window.width + column;
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (t >= r && t - r < window.height) rows.at[r] = of_plane[int64_t{t - r} * window.width];
    return rows;
  }
};

/// Each result's products are added in the order of its window's elements.
template <class In, class Out, int kRows, Beyond kBeyond, class Window, class Weights>
__device__ void filter_strip(const kernels::FilterJob& job, const Strip& strip, const Window& window,
                             const Weights& weights) {
  StripSource<In, kBeyond> source(job, strip, job.fill ? *static_cast<const In*>(job.fill) : In{});
  float4 sums[kRows] = {};
  for (int32_t k = 0; k < job.axes[0].taps; ++k) {
    source.plane(k);
#pragma unroll(Window::kFixed ? 32 : 1)
    for (int32_t t = 0; t < window.height + kRows - 1; ++t) {
      source.row(t);
      source.each_column(window, [&](int32_t i, const Quad<In>& quad) {
        const float4 values = to_floats(quad);
        const RowWeights<kRows> of_rows = weights.of(window, k, t, i);
#pragma unroll
        for (int r = 0; r < kRows; ++r)
          if (t >= r && t - r < window.height) add_products(sums[r], of_rows.at[r], values);
      });
    }
  }
  store_strip<Out, kRows>(job, strip, [&](int r) { return converted<Out>(sums[r]); });
}

/// This thread's share of the results of one filter.
/// @param spread  its weights in shared memory, if there is room for them
template <class In, class Out>
__device__ void filter_share(const kernels::FilterJob& job, const StripShare& share, const float* filter,
                             const RowWeights<kFilterRows<In>>* spread) {
  constexpr int kRows = kFilterRows<In>;
  for_strips<kRows, kOuterStripRows>(job, share, !spread, [&](const Strip& strip, auto beyond) {
    constexpr Beyond kBeyond = decltype(beyond)::value;
    with_window<In, kBeyond>(job, [&](const auto& window) {
      if constexpr (kBeyond == Beyond::kAll)
        filter_strip<In, Out, kOuterStripRows, kBeyond>(job, strip, window, GivenWeights<kOuterStripRows>{filter});
      else
        filter_strip<In, Out, kRows, kBeyond>(job, strip, window, SharedWeights<kRows>{spread});
    });
  });
}

/// Calls fn(filter, share) for each filter of a job that this block has a share of.
template <class Fn>
__device__ void for_filters(const kernels::FilterJob& job, Fn&& fn) {
  const auto filters = static_cast<uint32_t>(job.outer / job.pictures_per_filter);
  const int64_t planes = int64_t{job.pictures_per_filter} * job.axes[0].wanted;
  const int64_t weights = int64_t{job.axes[0].taps} * job.axes[1].taps * job.axes[2].taps;
  // As many blocks a filter as there are, or several filters a block.
  for (uint32_t f = blockIdx.x % max(filters, 1u); f < filters; f += gridDim.x) {
    const bool alone = gridDim.x < filters;
    fn(job.weights + f * weights, StripShare{f * planes, planes, alone ? 0 : blockIdx.x / filters,
                                             alone ? 1 : (gridDim.x - f + filters - 1) / filters});
  }
}

template <class In, class Out>
__global__ void __launch_bounds__(kStripThreads, 3) filter_kernel(const kernels::FilterJob* jobs) {
  __shared__ kernels::FilterJob job;
  __shared__ RowWeights<kFilterRows<In>> spread[kMostRowWeights];
  read_job(jobs, job);
  const bool fits = fits_shared<kFilterRows<In>>(job);
  for_filters(job, [&](const float* filter, const StripShare& share) {
    __syncthreads();  // the weights before have been read
    if (fits) spread_weights(job, filter, spread);
    __syncthreads();
    filter_share<In, Out>(job, share, filter, fits ? spread : nullptr);
  });
}

}  // namespace penstock::cuda

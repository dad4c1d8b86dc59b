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

/// Weights of a plane of windows: in registers, if the windows are small.
template <class Window>
class Weights {
 public:
  __device__ explicit Weights(const float* from) {
#pragma unroll
    for (int i = 0; i < Window::height * Window::width; ++i) own_[i] = from[i];
  }
  __device__ float at(const Window&, int32_t row, int32_t column) const { return own_[row * Window::width + column]; }

 private:
  float own_[Window::height * Window::width];
};
template <>
class Weights<AnyWindow> {
 public:
  __device__ explicit Weights(const float* from) : from_(from) {}
  __device__ float at(const AnyWindow& window, int32_t row, int32_t column) const {
    return from_[row * window.width + column];
  }

 private:
  const float* from_;
};

/// Each result's products are added in the order of its window's elements.
template <class In, class Out, int kRows, Beyond kBeyond, class Window>
__device__ void filter_strip(const kernels::FilterJob& job, const Strip& strip, const Window& window) {
  StripSource<In, kBeyond> source(job, strip, job.fill ? *static_cast<const In*>(job.fill) : In{});
  const int32_t planes = job.axes[0].taps, of_plane = window.height * window.width;
  const auto filter = static_cast<uint32_t>(source.picture()) / static_cast<uint32_t>(job.pictures_per_filter);
  const float* from = job.weights + int64_t{filter} * planes * of_plane;
  float4 sums[kRows] = {};
  for (int32_t k = 0; k < planes; ++k, from += of_plane) {
    const Weights<Window> weights(from);
    source.plane(k);
#pragma unroll(Window::kFixed ? 32 : 1)
    for (int32_t t = 0; t < window.height + kRows - 1; ++t) {
      source.row(t);
      source.each_column(window, [&](int32_t i, const Quad<In>& quad) {
        const float4 values = to_floats(quad);
#pragma unroll
        for (int r = 0; r < kRows; ++r)
          if (t >= r && t - r < window.height) add_products(sums[r], weights.at(window, t - r, i), values);
      });
    }
  }
  store_strip<Out, kRows>(job, strip, [&](int r) { return converted<Out>(sums[r]); });
}

/// This thread's share of a job.
template <class In, class Out>
__device__ void filter_share(const kernels::FilterJob& job) {
  for_strips<kStripRows, kOuterStripRows>(job, [&](const Strip& strip, auto beyond) {
    constexpr Beyond kBeyond = decltype(beyond)::value;
    constexpr int kRows = kBeyond == Beyond::kAll ? kOuterStripRows : kStripRows;
    with_window<In, kBeyond>(job,
                             [&](const auto& window) { filter_strip<In, Out, kRows, kBeyond>(job, strip, window); });
  });
}

template <class In, class Out>
__global__ void __launch_bounds__(kStripThreads, std::is_same_v<In, uint8_t> ? 3 : 1)
    filter_kernel(const kernels::FilterJob* jobs) {
  __shared__ kernels::FilterJob job;
  read_job(jobs, job);
  filter_share<In, Out>(job);
}

}  // namespace penstock::cuda

// The greatest or the least element under flat windows, by strips.
#pragma once

#include <limits>
#include <type_traits>

#include "cuda/support/quads.cuh"
#include "cuda/support/strips.cuh"
#include "cuda/support/threads.cuh"
#include "kernels/neighbourhood/job.h"

namespace penstock::cuda {

/// What is the least, too: as the greatest of elements that are turned round, which is turned back.
/// @param turn  no bits for the greatest, all for the least
template <class T>
__device__ T turned(T value, uint32_t turn) {
  if constexpr (std::is_same_v<T, float>)
    return turn ? -value : value;
  else
    return static_cast<T>(value ^ static_cast<T>(turn));
}

/// What no element is less than. NaN is the greatest of floats only where there is nothing else.
template <class T>
constexpr T worst() {
  return std::is_same_v<T, float> ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::lowest();
}

/// The greatest elements at four neighbours.
template <class T>
class GreatestQuad {
 public:
  __device__ GreatestQuad() : best_(filled(worst<T>())) {}
  __device__ void take(const Quad<T>& quad, uint32_t turn) {
#pragma unroll
    for (int j = 0; j < kStripColumns; ++j) take(best_.at[j], turned(quad.at[j], turn));
  }
  __device__ void take(const GreatestQuad& other) {
#pragma unroll
    for (int j = 0; j < kStripColumns; ++j) take(best_.at[j], other.best_.at[j]);
  }
  __device__ Quad<T> quad(uint32_t turn) const {
    Quad<T> quad;
#pragma unroll
    for (int j = 0; j < kStripColumns; ++j) quad.at[j] = turned(best_.at[j], turn);
    return quad;
  }

 private:
  static __device__ void take(T& best, T value) {
    if constexpr (std::is_same_v<T, float>)
      best = fmaxf(best, value);
    else
      best = max(best, value);
  }
  Quad<T> best_;
};

/// Bytes go by pairs of 16 bits: those of even places below zeros, those of odd places above whatever there is.
template <>
class GreatestQuad<uint8_t> {
 public:
  __device__ void take(const Quad<uint8_t>& quad, uint32_t turn) {
    const uint32_t word = quad.word ^ turn;
    even_ = __vmaxu2(even_, word & 0x00ff00ffu);
    odd_ = __vmaxu2(odd_, word);
  }
  __device__ void take(const GreatestQuad& other) {
    even_ = __vmaxu2(even_, other.even_);
    odd_ = __vmaxu2(odd_, other.odd_);
  }
  __device__ Quad<uint8_t> quad(uint32_t turn) const { return {(even_ | (odd_ & 0xff00ff00u)) ^ turn}; }

 private:
  uint32_t even_ = 0, odd_ = 0;
};

template <class T, int kRows, Beyond kBeyond, class Window>
__device__ void extreme_strip(const kernels::ExtremeJob& job, const Strip& strip, const Window& window) {
  const uint32_t turn = job.greatest ? 0 : ~0u;
  StripSource<T, kBeyond> source(job, strip, turned(worst<T>(), turn));
  GreatestQuad<T> best[kRows];
  source.plane(0);
#pragma unroll(Window::kFixed ? 32 : 1)
  for (int32_t t = 0; t < window.height + kRows - 1; ++t) {
    if (!source.row(t)) continue;
    GreatestQuad<T> of_row;
    source.each_column(window, [&](int32_t, const Quad<T>& quad) { of_row.take(quad, turn); });
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (t >= r && t - r < window.height) best[r].take(of_row);
  }
  store_strip<T, kRows>(job, strip, [&](int r) { return best[r].quad(turn); });
}

/// This thread's share of a job.
template <class T>
__device__ void extreme_share(const kernels::ExtremeJob& job) {
  const auto share = StripShare::whole(job);
  for_strips<kStripRows, kOuterStripRows>(job, share, false, [&](const Strip& strip, auto beyond) {
    constexpr Beyond kBeyond = decltype(beyond)::value;
    constexpr int kRows = kBeyond == Beyond::kAll ? kOuterStripRows : kStripRows;
    with_window<T, kBeyond>(job, [&](const auto& window) { extreme_strip<T, kRows, kBeyond>(job, strip, window); });
  });
}

// More threads at a time, in fewer registers each, hide more of what loads of bytes wait.
template <class T>
__global__ void __launch_bounds__(kStripThreads, sizeof(T) == 1 ? 4 : 3)
    extreme_kernel(const kernels::ExtremeJob* jobs) {
  __shared__ kernels::ExtremeJob job;
  read_job(jobs, job);
  extreme_share<T>(job);
}

}  // namespace penstock::cuda

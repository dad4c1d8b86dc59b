// The middle element under a window: a thread a result.
#include <algorithm>
#include <cfloat>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/neighbourhood/job.h"
#include "kernels/neighbourhood/middle.h"

namespace penstock::cuda {
namespace {

using kernels::MedianJob;
using kernels::WindowAxis;

constexpr int kThreads = 256;

/// The elements under the window of one result.
template <class T>
struct Seen {
  const MedianJob& job;
  const T* picture;  ///< its first element of the channel
  int32_t y, x;      ///< the window's first row and column; may lie outside

  /// Calls fn(element) for those that there are.
  template <class Fn>
  __device__ void each(Fn&& fn) const {
    const WindowAxis &ay = job.axes[1], &ax = job.axes[2];
    for (int32_t j = 0; j < ay.taps; ++j) {
      const int32_t row = ay.source(job.border, y + j);
      if (row < 0) continue;
      const T* from = picture + static_cast<int64_t>(row) * ax.held * job.channels;
      for (int32_t i = 0; i < ax.taps; ++i) {
        const int32_t column = ax.source(job.border, x + i);
        if (column >= 0) fn(from[static_cast<int64_t>(column) * job.channels]);
      }
    }
  }
};

/// Bits whose order is that of the values.
template <class T>
__device__ uint32_t ordered(T value) {
  if constexpr (std::is_same_v<T, float>) {
    const uint32_t bits = __float_as_uint(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  } else {
    return static_cast<uint32_t>(value) - static_cast<uint32_t>(::cuda::std::numeric_limits<T>::lowest());
  }
}
template <class T>
__device__ T from_ordered(uint32_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
  else
    return static_cast<T>(bits + static_cast<uint32_t>(::cuda::std::numeric_limits<T>::lowest()));
}

/// By a network of comparisons, in registers.
template <int kTaps, class T>
__device__ T network(const Seen<T>& seen) {
  T all[kTaps], set[kTaps / 2 + 2];
  const WindowAxis &ay = seen.job.axes[1], &ax = seen.job.axes[2];
  const int32_t width = ax.taps;
  int32_t j = 0, i = 0;
  const T* from = nullptr;
#pragma unroll
  for (int tap = 0; tap < kTaps; ++tap) {
    if (i == 0)
      from = seen.picture + static_cast<int64_t>(ay.source(seen.job.border, seen.y + j)) * ax.held * seen.job.channels;
    all[tap] = from[static_cast<int64_t>(ax.source(seen.job.border, seen.x + i)) * seen.job.channels];
    if (++i == width) i = 0, ++j;
  }
  kernels::middle_of<kTaps, kTaps / 2 + 2>(
      set, [&](T& to, int tap) { to = all[tap]; },
      [](T& a, T& b) {
        const T low = b < a ? b : a;
        b = b < a ? a : b;
        a = low;
      });
  return set[1];
}

template <class T>
__device__ T median(const Seen<T>& seen) {
  const int32_t taps = seen.job.axes[1].taps * seen.job.axes[2].taps;
  if (taps == 9) return network<9>(seen);
  if (taps == 25) return network<25>(seen);
  // The middle one's bits, the highest first: a bit is set where too few elements are below the number with it.
  uint32_t found = 0;
  for (int bit = static_cast<int>(sizeof(T)) * 8 - 1; bit >= 0; --bit) {
    const uint32_t tried = found | 1u << bit;
    int32_t below = 0;
    seen.each([&](T value) { below += ordered(value) < tried; });
    if (below <= taps / 2) found = tried;
  }
  return from_ordered<T>(found);
}

template <class T>
__global__ void __launch_bounds__(kThreads) median_kernel(const MedianJob* jobs) {
  __shared__ MedianJob job;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(int32_t); i += kThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  const WindowAxis &ay = job.axes[1], &ax = job.axes[2];
  const int32_t line = ax.wanted * job.channels, blocks = (line + kThreads - 1) / kThreads;
  const int64_t rows = static_cast<int64_t>(job.outer) * ay.wanted;
  for (int64_t block = blockIdx.x; block < rows * blocks; block += gridDim.x) {
    const int64_t row = block / blocks, picture = row / ay.wanted;
    const int32_t in_line = static_cast<int32_t>(block - row * blocks) * kThreads + static_cast<int32_t>(threadIdx.x);
    if (in_line >= line) continue;
    const int32_t x = in_line / job.channels, channel = in_line - x * job.channels;
    const T* in = static_cast<const T*>(job.in) + picture * ay.held * ax.held * job.channels + channel;
    const auto y = static_cast<int32_t>(row - picture * ay.wanted);
    static_cast<T*>(job.out)[row * line + in_line] = median(Seen<T>{job, in, ay.first() + y, ax.first() + x});
  }
}

void launch_median(const device::JobBatch<MedianJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kThreads - 1) / kThreads, 16384));
  among<uint8_t, int16_t, uint16_t, int32_t, float>(batch.in, [&](auto type) {
    using T = typename decltype(type)::type;
    in_slices(batch.count, [&](int first, unsigned slice) {
      median_kernel<T><<<dim3(blocks, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
    });
  });
  check_launch("finding medians of a batch");
}

}  // namespace

using kernels::kMedian;
PENSTOCK_KERNEL(kMedian, launch_median)

}  // namespace penstock::cuda

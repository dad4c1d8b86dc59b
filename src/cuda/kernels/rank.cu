// The greatest, the least and the middle element under a window: a thread a result.
#include <algorithm>
#include <cfloat>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "cuda/support/window_tile.cuh"
#include "kernels/neighbourhood/job.h"
#include "kernels/neighbourhood/middle.h"

namespace penstock::cuda {
namespace {

using kernels::NeighbourhoodJob;
using kernels::WindowAxis;

constexpr int kThreads = kTileThreads;

/// The elements under the window of one result.
template <class T>
struct Seen {
  const NeighbourhoodJob& job;
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

struct Extreme {
  template <class T>
  static __device__ T of(const kernels::ExtremeJob& job, const Seen<T>& seen) {
    bool none = true;
    T best{};
    seen.each([&](T value) {
      if (none || (job.greatest ? best < value : value < best)) best = value;
      none = false;
    });
    if (!none) return best;
    using Limits = ::cuda::std::numeric_limits<T>;
    return job.greatest ? Limits::lowest() : Limits::max();
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

struct Median {
  template <class T>
  static __device__ T of(const kernels::MedianJob& job, const Seen<T>& seen) {
    const int32_t taps = job.axes[1].taps * job.axes[2].taps;
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

 private:
  template <int kTaps, class T>
  static __device__ T network(const Seen<T>& seen) {
    T all[kTaps], set[kTaps / 2 + 2];
    const WindowAxis &ay = seen.job.axes[1], &ax = seen.job.axes[2];
    const int32_t width = ax.taps;
    int32_t j = 0, i = 0;
    const T* from = nullptr;
#pragma unroll
    for (int tap = 0; tap < kTaps; ++tap) {
      if (i == 0)
        from =
            seen.picture + static_cast<int64_t>(ay.source(seen.job.border, seen.y + j)) * ax.held * seen.job.channels;
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
};

/// The greatest or the least under flat windows, by tiles.
template <class T>
__device__ void extreme_tiles(const kernels::ExtremeJob& job, const WindowTile& tile, T* shared) {
  using Limits = ::cuda::std::numeric_limits<T>;
  const int32_t rows = job.axes[1].taps, columns = job.axes[2].taps, channels = job.channels;
  const auto find = [&](T worst, auto&& better) {
    for_tiles<T, T>(
        job, tile, worst, shared, [](T value) { return value; },
        [&](int64_t, const T* first, T(&results)[kTileTogether]) {
#pragma unroll
          for (int r = 0; r < kTileTogether; ++r) results[r] = first[r * tile.columns];
          for (int32_t t = 0; t < rows; ++t, first += tile.columns)
            for (int32_t i = 0; i < columns; ++i)
#pragma unroll
              for (int r = 0; r < kTileTogether; ++r) {
                const T value = first[r * tile.columns + i * channels];
                if (better(value, results[r])) results[r] = value;
              }
        });
  };
  if (job.greatest)
    find(Limits::lowest(), [](T a, T b) { return a > b; });
  else
    find(Limits::max(), [](T a, T b) { return a < b; });
}

template <class What, class Job, class T>
__global__ void __launch_bounds__(kThreads) rank_kernel(const Job* jobs) {
  __shared__ Job job;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(int32_t); i += kThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  // Floats beyond a constant border would need a value worse than infinity.
  if constexpr (std::is_same_v<Job, kernels::ExtremeJob> && !std::is_same_v<T, float>) {
    __shared__ T elements[kTileElements];
    if (const WindowTile tile(job); tile.fits(job)) return extreme_tiles(job, tile, elements);
  }
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
    static_cast<T*>(job.out)[row * line + in_line] =
        What::template of<T>(job, Seen<T>{job, in, ay.first() + y, ax.first() + x});
  }
}

template <class What, class Job>
void launch_rank(const device::JobBatch<Job>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kThreads - 1) / kThreads, 16384));
  among<uint8_t, int16_t, uint16_t, int32_t, float>(batch.in, [&](auto type) {
    using T = typename decltype(type)::type;
    in_slices(batch.count, [&](int first, unsigned slice) {
      rank_kernel<What, Job, T><<<dim3(blocks, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
    });
  });
  check_launch("ranking elements of a batch");
}

}  // namespace

using kernels::kExtreme;
using kernels::kMedian;
PENSTOCK_KERNEL(kExtreme, (launch_rank<Extreme, kernels::ExtremeJob>))
PENSTOCK_KERNEL(kMedian, (launch_rank<Median, kernels::MedianJob>))

}  // namespace penstock::cuda

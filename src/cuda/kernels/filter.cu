// Correlation with windows of any extents: a thread makes neighbours along y, so that each source element is loaded
// once for all of them.
#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/divide.cuh"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "cuda/support/window_tile.cuh"
#include "kernels/neighbourhood/job.h"

namespace penstock::cuda {
namespace {

using kernels::FilterJob;
using kernels::WindowAxis;

constexpr int kThreads = kTileThreads, kTogether = 4;

/// Results at (z, first to first + kTogether - 1, x) of one channel.
template <class In, class Index>
__device__ void correlate(const FilterJob& job, const float* weights, Index image, int32_t z, int32_t first, int32_t x,
                          int32_t channel, float (&sums)[kTogether]) {
  const auto& [az, ay, ax] = job.axes;
  const float fill = job.fill ? to_float(*static_cast<const In*>(job.fill)) : 0.f;
  const Index row_size = static_cast<Index>(ax.held) * job.channels;
  const In* in = static_cast<const In*>(job.in) + channel;
  for (int32_t k = 0; k < az.taps; ++k) {
    const int32_t plane = az.source(job.border, az.first() + z + k);
    const float* of_plane = weights + k * ay.taps * ax.taps;
    for (int32_t t = 0; t < ay.taps + kTogether - 1; ++t) {
      const int32_t row = ay.source(job.border, ay.first() + first + t);
      const bool inside = plane >= 0 && row >= 0;
      const In* from = in + ((image * az.held + (inside ? plane : 0)) * ay.held + (inside ? row : 0)) * row_size;
      for (int32_t i = 0; i < ax.taps; ++i) {
        const int32_t column = ax.source(job.border, ax.first() + x + i);
        const float value = inside && column >= 0 ? to_float(from[static_cast<Index>(column) * job.channels]) : fill;
#pragma unroll
        for (int r = 0; r < kTogether; ++r)
          if (t >= r && t - r < ay.taps) sums[r] = fmaf(of_plane[(t - r) * ax.taps + i], value, sums[r]);
      }
    }
  }
}

/// The same by tiles, in the same order of additions.
template <class In, class Out>
__device__ void correlate_tiles(const FilterJob& job, const WindowTile& tile, float* shared) {
  const int32_t rows = job.axes[1].taps, columns = job.axes[2].taps, channels = job.channels;
  const float fill = job.fill ? to_float(*static_cast<const In*>(job.fill)) : 0.f;
  for_tiles<In, Out>(
      job, tile, fill, shared, [](In value) { return to_float(value); },
      [&](int64_t picture, const float* first, Out(&results)[kTileTogether]) {
        const float* weight = job.weights + picture / job.pictures_per_filter * (int64_t{rows} * columns);
        float sums[kTileTogether] = {};
        for (int32_t t = 0; t < rows; ++t, first += tile.columns)
          for (int32_t i = 0; i < columns; ++i, ++weight)
#pragma unroll
            for (int r = 0; r < kTileTogether; ++r)
              sums[r] = fmaf(*weight, first[r * tile.columns + i * channels], sums[r]);
#pragma unroll
        for (int r = 0; r < kTileTogether; ++r) results[r] = convert<Out>(sums[r]);
      });
}

template <class In, class Out, class Index>
__global__ void __launch_bounds__(kThreads) filter_kernel(const FilterJob* jobs) {
  __shared__ FilterJob job;
  __shared__ float elements[kTileElements];
  __shared__ Divider<Index> by_line, by_groups, by_planes, by_channels;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(int32_t); i += kThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  if (const WindowTile tile(job); tile.fits(job)) return correlate_tiles<In, Out>(job, tile, elements);
  const auto& [az, ay, ax] = job.axes;
  const int32_t groups = (ay.wanted + kTogether - 1) / kTogether;
  const Index line = static_cast<Index>(ax.wanted) * job.channels;
  if (threadIdx.x == 0) by_line = Divider<Index>(max(line, Index{1}));
  if (threadIdx.x == 32) by_groups = Divider<Index>(max(groups, 1));
  if (threadIdx.x == 64) by_planes = Divider<Index>(max(az.wanted, 1));
  if (threadIdx.x == 96) by_channels = Divider<Index>(max(job.channels, 1));
  __syncthreads();
  const Index total = line * groups * az.wanted * job.outer;
  for (Index n = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x; n < total;
       n += static_cast<Index>(gridDim.x) * kThreads) {
    const Index row = by_line.quotient(n), plane = by_groups.quotient(row), image = by_planes.quotient(plane);
    const Index in_line = n - row * line;
    const auto first = static_cast<int32_t>(row - plane * groups) * kTogether;
    const auto x = static_cast<int32_t>(by_channels.quotient(in_line));
    const float* weights =
        job.weights + static_cast<int64_t>(image / job.pictures_per_filter) * (az.taps * ay.taps * ax.taps);
    float sums[kTogether] = {};
    correlate<In, Index>(job, weights, image, static_cast<int32_t>(plane - image * az.wanted), first, x,
                         static_cast<int32_t>(in_line) - x * job.channels, sums);
    Out* to = static_cast<Out*>(job.out) + (plane * ay.wanted + first) * line + in_line;
#pragma unroll
    for (int r = 0; r < kTogether; ++r)
      if (first + r < ay.wanted) to[static_cast<Index>(r) * line] = convert<Out>(sums[r]);
  }
}

void launch_filter(const device::JobBatch<FilterJob, kernels::NeighbourhoodParameters>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto strips =
      static_cast<unsigned>(std::min<int64_t>((batch.most_elements / kTogether + kThreads) / kThreads, 65535));
  among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, __half, float, double>(
      batch.in, [&](auto type) {
        using In = typename decltype(type)::type;
        with_index(std::max(batch.most_elements, batch.parameters.most_held), [&](auto index) {
          using Index = typename decltype(index)::type;
          in_slices(batch.count, [&](int first, unsigned slice) {
            const dim3 grid(strips, slice);
            if (batch.out == batch.in)
              filter_kernel<In, In, Index><<<grid, kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
            else
              filter_kernel<In, float, Index><<<grid, kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
          });
        });
      });
  check_launch("filtering a batch");
}

}  // namespace

using kernels::kFilter;
PENSTOCK_KERNEL(kFilter, launch_filter)

}  // namespace penstock::cuda

// Contrast-limited adaptive equalization: colours become L*a*b* where only the lightness changes, a block a tile makes
// its table, then each pixel mixes four tables.
#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "kernels/histogram/clahe.h"

namespace penstock::cuda {
namespace {

using kernels::ClaheJob;
using kernels::kLevels;

constexpr int kThreads = 256;
static_assert(kThreads == kLevels);

__global__ void __launch_bounds__(kThreads) to_lab(const ClaheJob* jobs) {
  const ClaheJob job = jobs[blockIdx.y];
  if (!job.lightness_alone) return;
  const int64_t pixels = static_cast<int64_t>(job.rows) * job.columns;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < pixels;
       i += static_cast<int64_t>(gridDim.x) * kThreads)
    kernels::lab_of(job.of_lab, static_cast<const uint8_t*>(job.in) + 3 * i, job.lab + 3 * i);
}

__global__ void __launch_bounds__(kThreads) make_tables(const ClaheJob* jobs) {
  __shared__ uint32_t counts[kLevels];
  __shared__ uint32_t excess;
  const ClaheJob job = jobs[blockIdx.y];
  const uint32_t level = threadIdx.x;
  const uint8_t* const in = job.lightness_alone ? job.lab : static_cast<const uint8_t*>(job.in);
  for (int32_t n = blockIdx.x; n < job.changed() * job.grid.tiles(); n += gridDim.x) {
    const int32_t channel = n / job.grid.tiles(), tile = n - channel * job.grid.tiles();
    const int32_t first_row = tile / job.grid.tiles_x * job.grid.tile_height;
    const int32_t first_column = tile % job.grid.tiles_x * job.grid.tile_width;
    counts[level] = 0;
    if (level == 0) excess = 0;
    __syncthreads();
    for (int32_t i = static_cast<int32_t>(level); i < job.grid.area(); i += kThreads) {
      const int32_t row = kernels::clahe_source(first_row + i / job.grid.tile_width, job.rows);
      const int32_t column = kernels::clahe_source(first_column + i % job.grid.tile_width, job.columns);
      atomicAdd(counts + in[(static_cast<int64_t>(row) * job.columns + column) * job.channels + channel], 1u);
    }
    __syncthreads();
    if (job.grid.most > 0) {
      const uint32_t left = min(counts[level], static_cast<uint32_t>(job.grid.most));
      atomicAdd(&excess, counts[level] - left);
      counts[level] = left;
    }
    __syncthreads();
    counts[level] += kernels::ClaheShares(excess).of(level);
    __syncthreads();
    for (int step = 1; step < kLevels; step *= 2) {
      const uint32_t before = static_cast<int>(level) >= step ? counts[level - step] : 0;
      __syncthreads();
      counts[level] += before;
      __syncthreads();
    }
    const float scale = 255.f / static_cast<float>(job.grid.area());
    job.tables[static_cast<int64_t>(n) * kLevels + level] =
        static_cast<uint8_t>(fminf(rintf(static_cast<float>(counts[level]) * scale), 255.f));
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kThreads) mix_tables(const ClaheJob* jobs) {
  const ClaheJob job = jobs[blockIdx.y];
  const kernels::ClaheGrid& grid = job.grid;
  const float per_row = 1.f / static_cast<float>(grid.tile_height);
  const float per_column = 1.f / static_cast<float>(grid.tile_width);
  const int64_t pixels = static_cast<int64_t>(job.rows) * job.columns;
  uint8_t* const out = static_cast<uint8_t*>(job.out);
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < pixels;
       i += static_cast<int64_t>(gridDim.x) * kThreads) {
    const auto y = static_cast<int32_t>(i / job.columns), x = static_cast<int32_t>(i - int64_t{y} * job.columns);
    const kernels::ClaheTap down = kernels::clahe_tap(y, per_row, grid.tiles_y);
    const kernels::ClaheTap across = kernels::clahe_tap(x, per_column, grid.tiles_x);
    const auto mixed = [&](int32_t channel, uint8_t level) {
      const uint8_t* const tables = job.tables + static_cast<int64_t>(channel) * grid.tiles() * kLevels + level;
      const auto entry = [&](int32_t row, int32_t column) { return tables[(row * grid.tiles_x + column) * kLevels]; };
      const uint8_t of[4] = {entry(down.first, across.first), entry(down.first, across.second),
                             entry(down.second, across.first), entry(down.second, across.second)};
      return static_cast<uint8_t>(rintf(kernels::clahe_mixed(of, across.weight, down.weight)));
    };
    if (job.lightness_alone) {
      uint8_t lab[3] = {mixed(0, job.lab[3 * i]), job.lab[3 * i + 1], job.lab[3 * i + 2]};
      kernels::rgb_of(job.of_lab, lab, out + 3 * i);
      continue;
    }
    for (int32_t channel = 0; channel < job.channels; ++channel) {
      const int64_t at = i * job.channels + channel;
      out[at] = mixed(channel, static_cast<const uint8_t*>(job.in)[at]);
    }
  }
}

void launch_clahe(const device::JobBatch<ClaheJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto strips = static_cast<unsigned>(std::clamp<int64_t>(batch.most_elements / (kThreads * 4), 1, 4096));
  in_slices(batch.count, [&](int first, unsigned slice) {
    const ClaheJob* jobs = batch.jobs + first;
    to_lab<<<dim3(strips, slice), kThreads, 0, stream_of(batch)>>>(jobs);
    make_tables<<<dim3(64, slice), kThreads, 0, stream_of(batch)>>>(jobs);
    mix_tables<<<dim3(strips, slice), kThreads, 0, stream_of(batch)>>>(jobs);
  });
  check_launch("equalizing tiles of a batch");
}

}  // namespace

using kernels::kClahe;
PENSTOCK_KERNEL(kClahe, launch_clahe)

}  // namespace penstock::cuda

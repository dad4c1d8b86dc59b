// Coefficients to samples, of files with components that do not have a sample for each pixel.
#include <algorithm>
#include <cstdint>

#include "cuda/jpeg/halves.cuh"
#include "cuda/jpeg/job.cuh"
#include "cuda/jpeg/launches.h"
#include "cuda/jpeg/pixels/inverse.cuh"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;
constexpr uint32_t kPerBlock = kThreads / kSide;

/// A wanted block: its component, and its place there.
struct Place {
  int component, row, column;
};

__device__ Place find_block(const ScanJob& job, uint32_t wanted) {
  int c = 0;
  while (c + 1 < job.planes && wanted >= job.wanted[static_cast<size_t>(c + 1)].blocks_before) ++c;
  const WantedPlane& w = job.wanted[static_cast<size_t>(c)];
  const auto index = static_cast<int>(wanted - w.blocks_before), columns = w.columns.end - w.columns.begin;
  return {c, w.rows.begin + index / columns, w.columns.begin + index % columns};
}

__global__ void __launch_bounds__(kThreads) transform_kernel(const ScanJob* jobs) {
  __shared__ ScanJob job;
  __shared__ Factors factors[ScanJob::kMaxPlanes];
  __shared__ BlockTiles tiles[kPerBlock];
  load_job<kThreads>(job, jobs);
  if (job.pieces == 0 || job.direct()) return;
  for (int c = 0; c < job.planes; ++c)
    if (threadIdx.x < kSide * kSide) factors[c].set(job.wanted[static_cast<size_t>(c)], threadIdx.x);
  __syncthreads();
  const uint32_t own = threadIdx.x / kSide, i = threadIdx.x % kSide;
  for (uint32_t first = blockIdx.x * kPerBlock; first < job.wanted_blocks; first += gridDim.x * kPerBlock) {
    const uint32_t block = min(first + own, job.wanted_blocks - 1);  // those beyond the end go along
    const auto [c, row, column] = find_block(job, block);
    const WantedPlane& w = job.wanted[static_cast<size_t>(c)];
    const uint2 samples = inverse_transform(coefficients_of(job, w, block, row, column), factors[c], tiles[own]);
    const size_t y = static_cast<size_t>(row - w.rows.begin) * kSide + i;
    uint8_t* out = job.samples + size_t{w.blocks_before} * 64 + y * static_cast<size_t>(w.stride()) +
                   static_cast<size_t>(column - w.columns.begin) * kSide;
    if (first + own == block) *reinterpret_cast<uint2*>(out) = samples;
  }
}

}  // namespace

void transform_jpeg(cudaStream_t stream, const ScanJob* jobs, int count, int64_t most_elements,
                    cudaEvent_t half_begun) {
  // Blocks at the edges come in addition: the loop in the kernel takes them.
  const int64_t blocks = most_elements / 64 + 1;
  const auto strips = static_cast<unsigned>(std::min<int64_t>((blocks + kPerBlock - 1) / kPerBlock, 65535));
  launch_in_halves(transform_kernel, strips, kThreads, stream, jobs, count, half_begun,
                   "transforming a batch of JPEG files");
}

}  // namespace penstock::cuda

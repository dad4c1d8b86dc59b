// Coefficients to samples: eight threads a block, one a column and then a row. The arithmetic is
// codec/jpeg/transform.h's.
#include <algorithm>
#include <cstdint>

#include "codec/jpeg/transform.h"
#include "cuda/check.h"
#include "cuda/kernels.h"
#include "cuda/slices.h"

namespace penstock::cuda {
namespace {

using namespace codec::jpeg;

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr uint32_t kPerWarp = 32 / kSide, kPerBlock = kThreads / kSide;
constexpr unsigned kAll = 0xFFFFFFFF;

/// A wanted block: its plane, its place there, and its number in the file.
struct Place {
  const WantedPlane& plane;
  int row, column;
  uint32_t in_file;
};

__device__ Place find_block(const ScanJob& job, uint32_t wanted) {
  int c = 0;
  while (c + 1 < job.planes && wanted >= job.wanted[static_cast<size_t>(c + 1)].blocks_before) ++c;
  const WantedPlane& w = job.wanted[static_cast<size_t>(c)];
  const auto index = static_cast<int>(wanted - w.blocks_before), columns = w.columns.end - w.columns.begin;
  const int row = w.rows.begin + index / columns, column = w.columns.begin + index % columns;
  const int down = w.plane.block_rows, across = w.plane.blocks;
  const int mcu = row / down * job.mcu_columns + column / across;
  return {w, row, column,
          static_cast<uint32_t>(mcu * job.mcu_blocks + w.first + row % down * across + column % across)};
}

__device__ uint32_t pack(const int16_t* x) {
  uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i) bytes |= static_cast<uint32_t>(min(max(x[i] + 128, 0), 255)) << (8 * i);
  return bytes;
}

__global__ void __launch_bounds__(kThreads) transform_kernel(const ScanJob* jobs) {
  __shared__ ScanJob job;
  __shared__ int16_t tiles[kWarps][kPerWarp][kSide][kSide + 2];
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  if (job.pieces == 0) return;
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = lane / kSide, i = lane % kSide;
  auto& tile = tiles[warp][own];
  for (uint32_t first = blockIdx.x * kPerBlock + warp * kPerWarp; first < job.wanted_blocks;
       first += gridDim.x * kPerBlock) {
    const bool real = first + own < job.wanted_blocks;  // the others go along
    const uint32_t block = real ? first + own : first;
    const Place place = find_block(job, block);
    const int16_t* values = job.coefficients + size_t{block} * 64;
    int16_t x[8];
    for (uint32_t k = 0; k < 8; ++k) x[k] = values[8 * k + i];
    int16_t below = 0;
    for (int k = 1; k < 8; ++k) below |= x[k];
    if (i == 0) x[0] = job.dc[place.in_file];
    const bool flat = (__ballot_sync(kAll, below != 0) >> (own * kSide) & 0xFF) == 0;
    for (uint32_t k = 0; k < 8; ++k) x[k] = static_cast<int16_t>(x[k] * int{place.plane.quantisation[8 * k + i]});
    // libjpeg-turbo's way out for blocks without vertical frequencies.
    const auto same = static_cast<int16_t>(x[0] * (1 << kPassBits));
    inverse_pass<kFirstShift>(ScalarOps(), x);
    for (int k = 0; k < 8; ++k) tile[k][i] = flat ? same : x[k];
    __syncwarp();
    for (int k = 0; k < 8; ++k) x[k] = tile[i][k];
    __syncwarp();
    inverse_pass<kSecondShift>(ScalarOps(), x);
    const WantedPlane& w = place.plane;
    const size_t y = static_cast<size_t>(place.row - w.rows.begin) * kSide + i;
    uint8_t* out = job.samples + size_t{w.blocks_before} * 64 + y * static_cast<size_t>(w.stride()) +
                   static_cast<size_t>(place.column - w.columns.begin) * kSide;
    if (real) *reinterpret_cast<uint2*>(out) = {pack(x), pack(x + 4)};
  }
}

}  // namespace

void transform_jpeg(cudaStream_t stream, const ScanJob* jobs, int count, int64_t most_elements,
                    cudaEvent_t half_begun) {
  if (!count || !most_elements) return;
  // Blocks at the edges come in addition: the loop in the kernel takes them.
  const int64_t blocks = most_elements / 64 + 1;
  const auto strips = static_cast<unsigned>(std::min<int64_t>((blocks + kPerBlock - 1) / kPerBlock, 65535));
  const auto launch = [&](const ScanJob* some, int many, cudaEvent_t begun) {
    cudaLaunchAttribute begin{};
    begin.id = cudaLaunchAttributeLaunchCompletionEvent;
    begin.val.launchCompletionEvent.event = begun;
    in_slices(many, [&](int first, unsigned slice) {
      cudaLaunchConfig_t config{};
      config.gridDim = dim3(strips, slice);
      config.blockDim = dim3(kThreads);
      config.stream = stream;
      config.attrs = &begin;
      config.numAttrs = begun ? 1 : 0;
      check(cudaLaunchKernelEx(&config, transform_kernel, some + first), "transforming a batch of JPEG files");
    });
  };
  const int first_half = half_begun ? (count + 1) / 2 : count;
  launch(jobs, first_half, half_begun);
  launch(jobs + first_half, count - first_half, nullptr);
}

}  // namespace penstock::cuda

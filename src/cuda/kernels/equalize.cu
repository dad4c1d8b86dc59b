// Histogram equalization: thread blocks count in shared memory and add up in the GPU's, one block a channel makes its
// table, then all look their elements up.
#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "kernels/histogram/equalize.h"

namespace penstock::cuda {
namespace {

using kernels::EqualizeJob;
using kernels::kLevels;

constexpr int kThreads = 256;
static_assert(kThreads == kLevels);
/// Channels that a block counts at a time.
constexpr int kTogether = 4;

__global__ void __launch_bounds__(kThreads) clear_counts(const EqualizeJob* jobs) {
  const EqualizeJob& job = jobs[blockIdx.y];
  for (int plane = blockIdx.x; plane < job.pictures * job.channels; plane += gridDim.x)
    job.counts[static_cast<int64_t>(plane) * kLevels + threadIdx.x] = 0;
}

__global__ void __launch_bounds__(kThreads) count_levels(const EqualizeJob* jobs) {
  __shared__ uint32_t own[kTogether][kLevels];
  const EqualizeJob job = jobs[blockIdx.y];
  const uint8_t* in = static_cast<const uint8_t*>(job.in);
  for (int picture = 0; picture < job.pictures; ++picture, in += job.pixels * job.channels)
    for (int first = 0; first < job.channels; first += kTogether) {
      const int channels = min(job.channels - first, kTogether);
      for (int c = 0; c < kTogether; ++c) own[c][threadIdx.x] = 0;
      __syncthreads();
      for (int64_t pixel = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; pixel < job.pixels;
           pixel += static_cast<int64_t>(gridDim.x) * kThreads)
        for (int c = 0; c < channels; ++c) atomicAdd(&own[c][in[pixel * job.channels + first + c]], 1u);
      __syncthreads();
      for (int c = 0; c < channels; ++c)
        if (const uint32_t count = own[c][threadIdx.x])
          atomicAdd(job.counts + (static_cast<int64_t>(picture) * job.channels + first + c) * kLevels + threadIdx.x,
                    count);
      __syncthreads();
    }
}

__global__ void __launch_bounds__(kThreads) make_tables(const EqualizeJob* jobs) {
  __shared__ uint32_t up_to[kLevels];
  __shared__ int least;
  const EqualizeJob& job = jobs[blockIdx.y];
  const int level = static_cast<int>(threadIdx.x);
  for (int plane = blockIdx.x; plane < job.pictures * job.channels; plane += gridDim.x) {
    uint32_t* counts = job.counts + static_cast<int64_t>(plane) * kLevels;
    const uint32_t own = counts[level], total = static_cast<uint32_t>(job.pixels);
    if (level == 0) least = kLevels - 1;
    up_to[level] = own;
    __syncthreads();
    if (own > 0) atomicMin(&least, level);
    for (int step = 1; step < kLevels; step *= 2) {
      const uint32_t before = level >= step ? up_to[level - step] : 0;
      __syncthreads();
      up_to[level] += before;
      __syncthreads();
    }
    const uint32_t lowest = up_to[least];  // nothing lies below
    if (level < least || lowest == total)
      counts[level] = static_cast<uint32_t>(least);
    else
      counts[level] = static_cast<uint32_t>(rintf(kernels::equalized(up_to[level], lowest, total)));
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kThreads) look_levels_up(const EqualizeJob* jobs) {
  const EqualizeJob job = jobs[blockIdx.y];
  const int64_t in_picture = job.pixels * job.channels;
  for (int picture = 0; picture < job.pictures; ++picture) {
    const uint8_t* in = static_cast<const uint8_t*>(job.in) + picture * in_picture;
    uint8_t* out = static_cast<uint8_t*>(job.out) + picture * in_picture;
    const uint32_t* tables = job.counts + static_cast<int64_t>(picture) * job.channels * kLevels;
    for (int64_t pixel = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; pixel < job.pixels;
         pixel += static_cast<int64_t>(gridDim.x) * kThreads)
      for (int c = 0; c < job.channels; ++c)
        out[pixel * job.channels + c] = static_cast<uint8_t>(tables[c * kLevels + in[pixel * job.channels + c]]);
  }
}

void launch_equalize(const device::JobBatch<EqualizeJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  // Each block adds a whole histogram up: few blocks that count much.
  const auto strips = static_cast<unsigned>(std::clamp<int64_t>(batch.most_elements / (kThreads * 64), 1, 256));
  in_slices(batch.count, [&](int first, unsigned slice) {
    const EqualizeJob* jobs = batch.jobs + first;
    clear_counts<<<dim3(16, slice), kThreads, 0, stream_of(batch)>>>(jobs);
    count_levels<<<dim3(strips, slice), kThreads, 0, stream_of(batch)>>>(jobs);
    make_tables<<<dim3(16, slice), kThreads, 0, stream_of(batch)>>>(jobs);
    look_levels_up<<<dim3(4 * strips, slice), kThreads, 0, stream_of(batch)>>>(jobs);
  });
  check_launch("equalizing a batch");
}

}  // namespace

using kernels::kEqualize;
PENSTOCK_KERNEL(kEqualize, launch_equalize)

}  // namespace penstock::cuda

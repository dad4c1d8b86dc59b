#include <cuda_fp16.h>

#include <algorithm>

#include "cuda/kernels/byte_map.cuh"
#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/divide.cuh"
#include "cuda/support/slices.h"
#include "kernels/elements/job.h"
#include "kernels/elements/line.h"
#include "kernels/elements/machine.h"

namespace penstock::cuda {
namespace {

using kernels::ElementJob;
using kernels::ElementMachine;
using kernels::Instruction;

// Two thread blocks that decode JPEG files, of the next batch, leave a quarter of the registers: room for one of these.
// With 256 threads they waited for the end of that: 130,000 to 142,000 pictures a second, and 135,000 to 148,000 with
// 128.
constexpr int kThreads = 128;

struct Halves {
  __host__ __device__ static float to_float(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
  __host__ __device__ static uint16_t to_bits(float value) { return __half_as_ushort(__float2half_rn(value)); }
};

__device__ void copy_words(void* to, const void* from, size_t bytes) {
  for (size_t i = threadIdx.x; i < bytes / 4; i += kThreads)
    static_cast<int32_t*>(to)[i] = static_cast<const int32_t*>(from)[i];
}

/// One thread `lanes` elements at a time. Programs are the same for all threads of a block, so branches do not diverge.
template <ElementMachine kMachine>
__global__ void __launch_bounds__(kThreads, kMachine == ElementMachine::kWide ? 4 : 6)
    elements_kernel(const std::byte* jobs, size_t stride) {
  using Machine = kernels::Machine<Halves, kMachine>;
  constexpr int kAxes = Machine::kAxes;
  __shared__ ElementJob job;
  __shared__ Instruction program[kernels::kMaxInstructions];
  __shared__ Divider<int32_t> dividers[kAxes];  // by the chunks of an axis, then by each axis but the first
  copy_words(&job, jobs + blockIdx.y * stride, sizeof(job));
  __syncthreads();
  copy_words(program, job.program, static_cast<size_t>(job.instructions) * sizeof(Instruction));
  const int32_t chunks = (job.lane_extent + job.lanes - 1) / job.lanes;
  if (threadIdx.x < kAxes)
    dividers[threadIdx.x] = Divider<int32_t>(max(threadIdx.x ? job.extents[threadIdx.x] : chunks, 1));
  __syncthreads();
  int32_t total = chunks;
  for (int axis = 0; axis < job.ndim; ++axis) total *= Machine::begins(job, axis);
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < total; i += step) {
    const auto number = static_cast<int32_t>(i);
    int32_t left = dividers[0].quotient(number);
    const int32_t lane = (number - left * chunks) * job.lanes;
    int32_t index[kAxes] = {};
#pragma unroll
    for (int axis = kAxes - 1; axis > 0; --axis) {
      if (axis >= job.ndim) continue;
      const int32_t outer = dividers[axis].quotient(left);
      index[axis] = left - outer * job.extents[axis];
      left = outer;
    }
    index[0] = left;
    Machine(job, index, lane, min(job.lanes, job.lane_extent - lane)).run(program);
  }
}
static_assert(sizeof(ElementJob) % 4 == 0 && sizeof(Instruction) % 4 == 0);

/// One thread kLineLanes elements at a time.
__global__ void __launch_bounds__(kThreads, 4) line_kernel(const std::byte* jobs, size_t stride) {
  __shared__ ElementJob job;
  __shared__ Instruction program[kernels::kMaxInstructions];
  __shared__ Divider<int32_t> by_lanes;
  copy_words(&job, jobs + blockIdx.y * stride, sizeof(job));
  __syncthreads();
  copy_words(program, job.program, static_cast<size_t>(job.instructions) * sizeof(Instruction));
  if (threadIdx.x == 0) by_lanes = Divider<int32_t>(max(job.lane_extent, 1));
  __syncthreads();
  const int64_t total = int64_t{job.ndim ? job.extents[0] : 1} * job.lane_extent;
  const int64_t step = int64_t{gridDim.x} * kThreads * kernels::kLineLanes;
  for (int64_t i = (int64_t{blockIdx.x} * kThreads + threadIdx.x) * kernels::kLineLanes; i < total; i += step) {
    const auto first = static_cast<int32_t>(i);
    const int32_t outer = by_lanes.quotient(first);
    const auto count = static_cast<int32_t>(min(total - i, int64_t{kernels::kLineLanes}));
    kernels::LineMachine<Halves>(job, {first, outer, first - outer * job.lane_extent, count}).run(program);
  }
}

__global__ void __launch_bounds__(kThreads) taps_kernel(const std::byte* jobs, size_t stride) {
  kernels::make_taps(*reinterpret_cast<const ElementJob*>(jobs + blockIdx.x * stride),
                     static_cast<int32_t>(threadIdx.x), kThreads);
}

void launch_byte_maps(const device::JobBatch<ElementJob, kernels::ElementParameters>& batch) {
  constexpr int64_t kEach = int64_t{kByteMapThreads} * kRunBytes;
  const auto strips = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kEach - 1) / kEach, 2048));
  const auto tables = static_cast<unsigned>(batch.count);
  byte_table_kernel<Halves><<<tables, kByteTableThreads, 0, stream_of(batch)>>>(first_job(batch), batch.stride);
  in_slices(batch.count, [&](int first, unsigned slice) {
    const std::byte* jobs = first_job(batch) + static_cast<size_t>(first) * batch.stride;
    byte_map_kernel<<<dim3(strips, slice), kByteMapThreads, 0, stream_of(batch)>>>(jobs, batch.stride);
  });
  check_launch("mapping bytes of a batch");
}

void launch_elements(const device::JobBatch<ElementJob, kernels::ElementParameters>& batch) {
  if (batch.parameters.tables) {
    const auto blocks = static_cast<unsigned>(batch.count);
    taps_kernel<<<blocks, kThreads, 0, stream_of(batch)>>>(first_job(batch), batch.stride);
    check_launch("making tables of taps");
  }
  const int64_t count = batch.count, most = batch.most_elements;
  if (!count || !most) return;
  if (batch.parameters.bytes) return launch_byte_maps(batch);
  ElementMachine machine = batch.parameters.machine;
  // Fewer would leave multiprocessors idle with several rows to a thread.
  constexpr int64_t kManyElements = 1 << 20;
  if (machine == ElementMachine::kPixels && count * most < kManyElements) machine = ElementMachine::kNarrow;
  // A block that has read its job had better do much of it.
  constexpr int64_t kMostBlocks = 8192;
  const int64_t of_block = kThreads * (batch.parameters.line ? kernels::kLineLanes : kernels::kLanes);
  const int64_t blocks = (most + of_block - 1) / of_block;
  const auto strips = static_cast<unsigned>(std::min(blocks, std::max<int64_t>(kMostBlocks / count, 1)));
  auto* kernel = elements_kernel<ElementMachine::kWide>;
  if (machine == ElementMachine::kNarrow) kernel = elements_kernel<ElementMachine::kNarrow>;
  if (machine == ElementMachine::kPixels) kernel = elements_kernel<ElementMachine::kPixels>;
  if (batch.parameters.line) kernel = line_kernel;
  in_slices(batch.count, [&](int first, unsigned slice) {
    const std::byte* jobs = first_job(batch) + static_cast<size_t>(first) * batch.stride;
    kernel<<<dim3(strips, slice), kThreads, 0, stream_of(batch)>>>(jobs, batch.stride);
  });
  check_launch("computing elements of a batch");
}

}  // namespace

using kernels::kElements;
PENSTOCK_KERNEL(kElements, launch_elements)

}  // namespace penstock::cuda

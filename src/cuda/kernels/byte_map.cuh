// Programs that make a byte of a byte: one kernel makes each job's table, another one looks 16 bytes a thread up in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/support/run.cuh"
#include "kernels/elements/byte_map.h"
#include "kernels/elements/machine.h"

namespace penstock::cuda {

inline constexpr int kByteMapThreads = 256;
inline constexpr int kByteTableThreads = kernels::kByteValues / kernels::kLanes;

/// A thread block a job: its program runs for all bytes that there are.
template <class Halves>
__global__ void __launch_bounds__(kByteTableThreads) byte_table_kernel(const std::byte* jobs, size_t stride) {
  using Machine = kernels::Machine<Halves, kernels::ElementMachine::kWide>;
  const auto& whole = *reinterpret_cast<const kernels::ElementJob*>(jobs + blockIdx.x * stride);
  __shared__ kernels::ElementJob job;
  __shared__ uint32_t bytes[kernels::kByteValues / 4];
  static_assert(kernels::kByteValues / 4 == kByteTableThreads);
  bytes[threadIdx.x] = threadIdx.x * 0x04040404u + 0x03020100u;
  if (threadIdx.x == 0) kernels::describe_table(whole, reinterpret_cast<const std::byte*>(bytes), job);
  __syncthreads();
  const int32_t index[Machine::kAxes] = {};
  Machine(job, index, static_cast<int32_t>(threadIdx.x) * kernels::kLanes, kernels::kLanes).run(job.program);
}

__device__ inline uint32_t look_bytes_up(const uint8_t* table, uint32_t word) {
  return table[word & 0xff] | uint32_t{table[word >> 8 & 0xff]} << 8 | uint32_t{table[word >> 16 & 0xff]} << 16 |
         uint32_t{table[word >> 24]} << 24;
}

__global__ void __launch_bounds__(kByteMapThreads) byte_map_kernel(const std::byte* jobs, size_t stride) {
  const auto& job = *reinterpret_cast<const kernels::ElementJob*>(jobs + blockIdx.y * stride);
  __shared__ uint8_t table[kernels::kByteValues];
  static_assert(kernels::kByteValues == kByteMapThreads);
  table[threadIdx.x] = reinterpret_cast<const uint8_t*>(job.room)[threadIdx.x];
  __syncthreads();
  const auto* const in = reinterpret_cast<const uint8_t*>(job.operand[0].data) + job.operand[0].offset;
  auto* const out = reinterpret_cast<uint8_t*>(job.out) + job.result.offset;
  const int64_t all = int64_t{job.ndim ? job.extents[0] : 1} * job.lane_extent;
  const int64_t step = int64_t{gridDim.x} * kByteMapThreads * kRunBytes;
  int64_t at = (int64_t{blockIdx.x} * kByteMapThreads + threadIdx.x) * kRunBytes - elements_before(out);
  for (; at < all; at += step) {
    if (at >= 0 && at + kRunBytes <= all) {
      const uint4 run = load_run(in + at);
      *reinterpret_cast<uint4*>(out + at) = {look_bytes_up(table, run.x), look_bytes_up(table, run.y),
                                             look_bytes_up(table, run.z), look_bytes_up(table, run.w)};
    } else {
      for (int64_t i = max(at, int64_t{0}); i < min(at + kRunBytes, all); ++i) out[i] = table[in[i]];
    }
  }
}

}  // namespace penstock::cuda

#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "kernels/elements/values.h"
#include "kernels/statistics/job.h"

namespace penstock::cuda {
namespace {

using kernels::StatisticsAxes;
using kernels::StatisticsJob;

constexpr int kMostThreads = 1024, kFewThreads = 256;

struct NoHalves {
  __host__ __device__ static float to_float(uint16_t) { return 0; }
};

/// Where the element of that number lies, the axes walked in order.
__device__ int64_t place(const StatisticsAxes& axes, int64_t number) {
  int64_t at = 0;
  for (int axis = axes.ndim - 1; axis > 0; --axis) {
    const int64_t outer = number / axes.extents[axis];
    at += (number - outer * axes.extents[axis]) * axes.strides[axis];
    number = outer;
  }
  return axes.ndim > 0 ? at + number * axes.strides[0] : at;
}

__device__ double number_at(const StatisticsJob& job, int64_t at) {
  const uint64_t value = kernels::load_value<NoHalves>(job.dtype, static_cast<const std::byte*>(job.in), at);
  if (job.dtype == DType::kFloat) return static_cast<double>(kernels::get<float>(value));
  return static_cast<double>(kernels::get<int64_t>(value));
}

/// The sum over all threads of a block, known to all of them.
__device__ double block_sum(double mine) {
  __shared__ double warps[kMostThreads / 32];
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_xor_sync(~0u, mine, lane);
  __syncthreads();  // nobody reads the last sum any more
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  double sum = 0;
  for (uint32_t warp = 0; warp < blockDim.x / 32; ++warp) sum += warps[warp];
  return sum;
}

/// The sum of fn(load(i)) over a thread's share of `size` elements, four loads under way at a time.
template <class Load, class Fn>
__device__ double share_sum(int64_t size, Load&& load, Fn&& fn) {
  const int64_t step = blockDim.x;
  double mine = 0;
  int64_t i = threadIdx.x;
  for (; i + 3 * step < size; i += 4 * step) {
    const double x[] = {load(i), load(i + step), load(i + 2 * step), load(i + 3 * step)};
    mine += (fn(x[0]) + fn(x[1])) + (fn(x[2]) + fn(x[3]));
  }
  for (; i < size; i += step) mine += fn(load(i));
  return mine;
}

/// The sum of fn(element) over a group in all jobs that share their statistics.
template <class Fn>
__device__ double group_sum(const std::byte* jobs, size_t stride, int together, int64_t group, Fn&& fn) {
  double mine = 0;
  for (int k = 0; k < together; ++k) {
    const auto& job = *reinterpret_cast<const StatisticsJob*>(jobs + k * stride);
    const int64_t first = place(job.kept, group);
    if (job.dtype == DType::kUInt8 && job.reduced.ndim == 1) {  // pictures: no type to look up, no place to compute
      const uint8_t* from = static_cast<const uint8_t*>(job.in) + first;
      const int64_t next = job.reduced.strides[0];
      mine += share_sum(
          job.size, [&](int64_t i) { return static_cast<double>(from[i * next]); }, fn);
    } else {
      mine += share_sum(
          job.size, [&](int64_t i) { return number_at(job, first + place(job.reduced, i)); }, fn);
    }
  }
  return block_sum(mine);
}

/// One block a group.
__global__ void __launch_bounds__(kMostThreads) statistics_kernel(const std::byte* jobs, size_t stride, int together) {
  jobs += static_cast<size_t>(blockIdx.y) * together * stride;
  const auto& job = *reinterpret_cast<const StatisticsJob*>(jobs);
  int64_t elements = 0;
  for (int k = 0; k < together; ++k) elements += reinterpret_cast<const StatisticsJob*>(jobs + k * stride)->size;
  for (int64_t group = blockIdx.x; group < job.groups; group += gridDim.x) {
    float mean = 0;
    if (job.mean_given) {
      mean = job.mean[group];
    } else {
      const double sum = group_sum(jobs, stride, together, group, [](double x) { return x; });
      mean = static_cast<float>(sum / static_cast<double>(elements));
      if (threadIdx.x == 0) job.mean[group] = mean;
    }
    if (job.inverse_given) continue;
    const double squares = group_sum(jobs, stride, together, group, [&](double x) {
      const double distance = x - static_cast<double>(mean);
      return distance * distance;
    });
    const auto freedom = static_cast<double>(elements - job.ddof);
    const double variance = (freedom > 0 ? squares / freedom : 0) + static_cast<double>(job.epsilon);
    const float inverse = variance > 0 ? static_cast<float>(1 / sqrt(variance)) : 0.f;
    if (threadIdx.x == 0) job.inverse[group] = inverse * job.scale;
  }
}

void launch_statistics(const device::JobBatch<StatisticsJob, kernels::StatisticsParameters>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(batch.most_elements, 4096));
  // Groups of large samples are few: three channels of 32 pictures are blocks for 96 multiprocessors.
  constexpr int64_t kLarge = 1 << 18;
  const int threads = batch.most_elements >= kLarge ? kMostThreads : kFewThreads;
  const int together = batch.parameters.together;
  in_slices(batch.count / together, [&](int first, unsigned slice) {
    const std::byte* from =
        first_job(batch) + static_cast<size_t>(first) * static_cast<size_t>(together) * batch.stride;
    statistics_kernel<<<dim3(blocks, slice), threads, 0, stream_of(batch)>>>(from, batch.stride, together);
  });
  check_launch("finding means and deviations");
}

}  // namespace

using kernels::kStatistics;
PENSTOCK_KERNEL(kStatistics, launch_statistics)

}  // namespace penstock::cuda

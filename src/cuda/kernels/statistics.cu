// Statistics: blocks find mean and squared distances of parts of groups, then a warp for each group puts parts together
// (Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979).
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
using kernels::StatisticsPart;

constexpr int kThreads = 256, kWarp = 32;

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

template <class T>
__device__ T warp_sum(T mine) {
  for (int lane = kWarp / 2; lane > 0; lane /= 2) mine += __shfl_xor_sync(~0u, mine, lane);
  return mine;
}

/// The sum over all threads of a block, known to all of them.
template <class T>
__device__ T block_sum(T mine) {
  __shared__ T warps[kThreads / kWarp];
  mine = warp_sum(mine);
  __syncthreads();  // no thread reads the last sum any more
  if (threadIdx.x % kWarp == 0) warps[threadIdx.x / kWarp] = mine;
  __syncthreads();
  T sum = 0;
  for (const T& warp : warps) sum += warp;
  return sum;
}

/// Bytes at equal distances: both sums are whole numbers, so one pass over a part of at most 2^23 elements is exact.
__device__ StatisticsPart part_of_bytes(const uint8_t* from, int32_t next, int32_t count) {
  uint32_t sum = 0;
  uint64_t squares = 0;
#pragma unroll 4
  for (int32_t i = static_cast<int32_t>(threadIdx.x); i < count; i += kThreads) {
    const uint32_t x = from[int64_t{i} * next];
    sum += x, squares += x * x;
  }
  const uint64_t all = block_sum<uint64_t>(sum), all_squares = block_sum(squares);
  const auto n = static_cast<uint64_t>(count);
  return {static_cast<double>(all) / static_cast<double>(count),
          static_cast<double>(n * all_squares - all * all) / static_cast<double>(count)};
}

__device__ StatisticsPart part_of(const StatisticsJob& job, int64_t group, int32_t part) {
  const int64_t first = place(job.kept, group), begin = part * job.part_size(), count = job.elements_of(part);
  if (count == 0) return {};
  if (job.dtype == DType::kUInt8 && job.reduced.ndim <= 1 && count < (1 << 23)) {
    const int32_t next = job.reduced.ndim ? job.reduced.strides[0] : 0;
    return part_of_bytes(static_cast<const uint8_t*>(job.in) + first + begin * next, next, static_cast<int32_t>(count));
  }
  const auto sum_of = [&](auto&& fn) {
    double mine = 0;
    for (int64_t i = threadIdx.x; i < count; i += kThreads)
      mine += fn(number_at(job, first + place(job.reduced, begin + i)));
    return block_sum(mine);
  };
  const double mean = sum_of([](double x) { return x; }) / static_cast<double>(count);
  return {mean, sum_of([&](double x) { return (x - mean) * (x - mean); })};
}

__global__ void __launch_bounds__(kThreads) parts_kernel(const std::byte* jobs, size_t stride) {
  const auto& job = *reinterpret_cast<const StatisticsJob*>(jobs + blockIdx.y * stride);
  if (job.mean_given && job.inverse_given) return;
  for (int64_t n = blockIdx.x; n < job.groups * job.parts; n += gridDim.x) {
    const int64_t group = n / job.parts;
    const StatisticsPart found = part_of(job, group, static_cast<int32_t>(n - group * job.parts));
    if (threadIdx.x == 0) job.found[n] = found;
  }
}

/// The sum over the parts of a group in all jobs that share their statistics, known to a whole warp.
template <class Fn>
__device__ double sum_parts(const std::byte* jobs, size_t stride, int together, int64_t group, Fn&& fn) {
  double mine = 0;
  for (int k = 0; k < together; ++k) {
    const auto& job = *reinterpret_cast<const StatisticsJob*>(jobs + k * stride);
    for (int32_t part = static_cast<int32_t>(threadIdx.x % kWarp); part < job.parts; part += kWarp)
      mine += fn(job.found[group * job.parts + part], static_cast<double>(job.elements_of(part)));
  }
  return warp_sum(mine);
}

/// One warp a group.
__global__ void __launch_bounds__(kThreads) groups_kernel(const std::byte* jobs, size_t stride, int together) {
  jobs += static_cast<size_t>(blockIdx.y) * together * stride;
  const auto& job = *reinterpret_cast<const StatisticsJob*>(jobs);
  if (job.mean_given && job.inverse_given) return;
  const auto sum = [&](int64_t group, auto&& fn) { return sum_parts(jobs, stride, together, group, fn); };
  const int64_t warp = (int64_t{blockIdx.x} * kThreads + threadIdx.x) / kWarp, warps = gridDim.x * kThreads / kWarp;
  for (int64_t group = warp; group < job.groups; group += warps) {
    const double elements = sum(group, [](const StatisticsPart&, double count) { return count; });
    const double all = sum(group, [](const StatisticsPart& part, double count) { return part.mean * count; });
    const float mean = job.mean_given ? job.mean[group] : static_cast<float>(all / elements);
    if (threadIdx.x % kWarp == 0 && !job.mean_given) job.mean[group] = mean;
    if (job.inverse_given) continue;
    const double squares = sum(group, [&](const StatisticsPart& part, double count) {
      const double away = part.mean - static_cast<double>(mean);
      return part.squares + count * away * away;
    });
    const double freedom = elements - static_cast<double>(job.ddof);
    const double variance = (freedom > 0 ? squares / freedom : 0) + static_cast<double>(job.epsilon);
    const float inverse = variance > 0 ? static_cast<float>(1 / sqrt(variance)) : 0.f;
    if (threadIdx.x % kWarp == 0) job.inverse[group] = inverse * job.scale;
  }
}

void launch_statistics(const device::JobBatch<StatisticsJob, kernels::StatisticsParameters>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks_of = [&](int64_t elements) {
    return static_cast<unsigned>(std::clamp<int64_t>((batch.most_elements + elements - 1) / elements, 1, 1024));
  };
  in_slices(batch.count, [&](int first, unsigned slice) {
    const std::byte* from = first_job(batch) + static_cast<size_t>(first) * batch.stride;
    parts_kernel<<<dim3(blocks_of(kernels::kStatisticsPart), slice), kThreads, 0, stream_of(batch)>>>(from,
                                                                                                      batch.stride);
  });
  const int together = batch.parameters.together;
  in_slices(batch.count / together, [&](int first, unsigned slice) {
    const std::byte* from =
        first_job(batch) + static_cast<size_t>(first) * static_cast<size_t>(together) * batch.stride;
    groups_kernel<<<dim3(blocks_of(kThreads * kWarp), slice), kThreads, 0, stream_of(batch)>>>(from, batch.stride,
                                                                                               together);
  });
  check_launch("finding means and deviations");
}

}  // namespace

using kernels::kStatistics;
PENSTOCK_KERNEL(kStatistics, launch_statistics)

}  // namespace penstock::cuda

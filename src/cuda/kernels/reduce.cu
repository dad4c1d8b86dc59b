// Reductions: blocks reduce parts of groups, then a thread for each group puts its parts together.
#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/elements/values.h"
#include "kernels/reduce/job.h"

namespace penstock::cuda {
namespace {

using kernels::ReduceJob;
using kernels::Reduction;
using kernels::WalkedAxes;

constexpr int kThreads = 256;

struct Halves {
  __host__ __device__ static float to_float(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
  __host__ __device__ static uint16_t to_bits(float value) { return __half_as_ushort(__float2half_rn(value)); }
};

/// Where the element of that number lies, the axes walked in order.
__device__ int64_t place(const WalkedAxes& axes, int64_t number) {
  int64_t at = 0;
  for (int axis = axes.ndim - 1; axis > 0; --axis) {
    const int64_t outer = number / axes.extents[axis];
    at += (number - outer * axes.extents[axis]) * axes.strides[axis];
    number = outer;
  }
  return axes.ndim > 0 ? at + number * axes.strides[0] : at;
}

__device__ bool is_extreme(Reduction kind) { return kind == Reduction::kMin || kind == Reduction::kMax; }
__device__ bool is_squared(Reduction kind) { return kind != Reduction::kSum && kind != Reduction::kMean; }

/// What a type's elements are accumulated in: sums of integers are exact.
template <class T>
using SumOf = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
template <class T>
using Compared = std::conditional_t<std::is_same_v<T, __half>, float, T>;

template <class T>
__device__ Compared<T> lowest() {
  if constexpr (std::is_integral_v<T>)
    return ::cuda::std::numeric_limits<T>::min();
  else
    return -::cuda::std::numeric_limits<Compared<T>>::infinity();
}
template <class T>
__device__ Compared<T> highest() {
  if constexpr (std::is_integral_v<T>)
    return ::cuda::std::numeric_limits<T>::max();
  else
    return ::cuda::std::numeric_limits<Compared<T>>::infinity();
}

/// Joins what all threads of a block have; thread 0 has the result.
template <class Acc, class Join>
__device__ Acc block_joined(Acc mine, Join&& join) {
  __shared__ Acc warps[kThreads / 32];
  for (int lane = 16; lane > 0; lane /= 2) mine = join(mine, __shfl_xor_sync(~0u, mine, lane));
  __syncthreads();  // the last result has been read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = warps[0];
  for (int warp = 1; warp < kThreads / 32; ++warp) mine = join(mine, warps[warp]);
  return mine;
}

template <class Acc>
__device__ uint64_t bits_of(Acc value) {
  return kernels::put(value);
}

/// Reduces part `part` of a group by `add(accumulator, element)` and `join(a, b)`.
template <class T, class Acc, class Add, class Join>
__device__ void reduce_part(const ReduceJob& job, int64_t group, int32_t part, Acc zero, Add&& add, Join&& join) {
  const T* from = static_cast<const T*>(job.in) + place(job.kept, group);
  const int64_t share = (job.size + job.parts - 1) / job.parts, begin = share * part;
  const int64_t end = min(begin + share, job.size);
  Acc mine = zero;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) mine = add(mine, from[place(job.reduced, i)]);
  mine = block_joined(mine, join);
  if (threadIdx.x == 0) job.partial[group * job.parts + part] = bits_of(mine);
}

template <class T>
__device__ void extreme_part(const ReduceJob& job, int64_t group, int32_t part) {
  using C = Compared<T>;
  const auto value = [](T x) {
    if constexpr (std::is_same_v<T, __half>)
      return __half2float(x);
    else
      return x;
  };
  const auto run = [&](C zero, auto before) {
    const auto pick = [&](C a, C b) { return before(b, a) || b != b ? b : a; };
    reduce_part<T, C>(
        job, group, part, zero, [&](C a, T x) { return pick(a, value(x)); }, pick);
  };
  if (job.kind == Reduction::kMin)
    run(highest<T>(), [](C a, C b) { return a < b; });
  else
    run(lowest<T>(), [](C a, C b) { return a > b; });
}

template <class T>
__device__ double as_double(T x) {
  if constexpr (std::is_same_v<T, __half>)
    return static_cast<double>(__half2float(x));
  else
    return static_cast<double>(x);
}

template <class T>
__global__ void __launch_bounds__(kThreads) parts_kernel(const ReduceJob* jobs) {
  const ReduceJob& job = jobs[blockIdx.y];
  for (int64_t n = blockIdx.x; n < job.groups * job.parts; n += gridDim.x) {
    const int64_t group = n / job.parts;
    const auto part = static_cast<int32_t>(n - group * job.parts);
    if (is_extreme(job.kind)) {
      extreme_part<T>(job, group, part);
    } else if (is_squared(job.kind)) {
      double centre = 0;
      if (job.centres)
        centre = kernels::get<double>(kernels::convert_value<Halves>(
            job.centre_type, DType::kFloat64,
            kernels::load_value<Halves>(job.centre_type, static_cast<const std::byte*>(job.centres), group)));
      reduce_part<T, double>(
          job, group, part, 0.,
          [&](double sum, T x) {
            const double distance = as_double(x) - centre;
            return sum + distance * distance;
          },
          [](double a, double b) { return a + b; });
    } else {
      using Sum = SumOf<T>;
      reduce_part<T, Sum>(
          job, group, part, Sum{0},
          [](Sum sum, T x) {
            if constexpr (std::is_integral_v<T>)
              return sum + static_cast<Sum>(x);
            else
              return sum + as_double(x);
          },
          [](Sum a, Sum b) { return a + b; });
    }
  }
}

/// The group's result, from what stands for it before the last step.
__device__ double finished(const ReduceJob& job, double sum) {
  const auto size = static_cast<double>(job.size), freedom = static_cast<double>(job.size - job.ddof);
  switch (job.kind) {
    case Reduction::kMean:
    case Reduction::kMeanSquare:
      return sum / size;
    case Reduction::kRootMeanSquare:
      return sqrt(sum / size);
    case Reduction::kVariance:
      return sum / freedom;
    case Reduction::kDeviation:
      return sqrt(sum / freedom);
    default:
      return sum;
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) groups_kernel(const ReduceJob* jobs) {
  using C = Compared<T>;
  const ReduceJob& job = jobs[blockIdx.y];
  auto* out = static_cast<std::byte*>(job.out);
  for (int64_t group = int64_t{blockIdx.x} * kThreads + threadIdx.x; group < job.groups;
       group += int64_t{gridDim.x} * kThreads) {
    const uint64_t* parts = job.partial + group * job.parts;
    if (is_extreme(job.kind)) {
      C found = kernels::get<C>(parts[0]);
      for (int32_t k = 1; k < job.parts; ++k) {
        const C other = kernels::get<C>(parts[k]);
        const bool first = job.kind == Reduction::kMin ? other < found : other > found;
        found = first || other != other ? other : found;
      }
      kernels::store_value<Halves>(job.out_type, out, group, kernels::put(found));
      continue;
    }
    const bool exact = std::is_integral_v<T> && !is_squared(job.kind);
    int64_t whole = 0;
    double sum = 0;
    for (int32_t k = 0; k < job.parts; ++k) {
      if (exact)
        whole += static_cast<int64_t>(parts[k]);
      else
        sum += kernels::get<double>(parts[k]);
    }
    if (exact && job.kind == Reduction::kSum) {
      const DType held = std::is_signed_v<T> ? DType::kInt64 : DType::kUInt64;
      kernels::store_value<Halves>(job.out_type, out, group,
                                   kernels::convert_value<Halves>(held, job.out_type, static_cast<uint64_t>(whole)));
      continue;
    }
    if (exact)
      sum = std::is_signed_v<T> ? static_cast<double>(whole) : static_cast<double>(static_cast<uint64_t>(whole));
    kernels::store_value<Halves>(
        job.out_type, out, group,
        kernels::convert_value<Halves>(DType::kFloat64, job.out_type, kernels::put(finished(job, sum))));
  }
}

void launch_reduce(const device::JobBatch<ReduceJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(batch.most_elements, 4096));
  const auto groups = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kThreads - 1) / kThreads, 4096));
  among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, bool, __half, float, double>(
      batch.in, [&](auto type) {
        using T = typename decltype(type)::type;
        in_slices(batch.count, [&](int first, unsigned slice) {
          parts_kernel<T><<<dim3(blocks, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
          groups_kernel<T><<<dim3(groups, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
        });
      });
  check_launch("reducing a batch");
}

}  // namespace

using kernels::kReduce;
PENSTOCK_KERNEL(kReduce, launch_reduce)

}  // namespace penstock::cuda

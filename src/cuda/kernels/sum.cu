#include <cuda_bf16.h>

#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/types.cuh"
#include "kernels/sum/job.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;

/// What elements are added up in, as in parallel/sum.cc: whose results these are bit for bit.
template <class T>
struct Accumulator {
  using type = T;
};
template <>
struct Accumulator<__half> {
  using type = float;
};
template <>
struct Accumulator<__nv_bfloat16> {
  using type = float;
};

template <class T>
__global__ void __launch_bounds__(kThreads) sum_kernel(const kernels::SumParts job) {
  using A = typename Accumulator<T>::type;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < job.elements; i += step) {
    A total = static_cast<A>(static_cast<const T*>(job.parts[0])[i]);
    for (int part = 1; part < job.count; ++part) total += static_cast<A>(static_cast<const T*>(job.parts[part])[i]);
    if constexpr (::cuda::std::is_floating_point_v<A>)
      if (job.mean) total /= static_cast<A>(job.count);
    static_cast<T*>(job.out)[i] = static_cast<T>(total);
  }
}

void launch_sum(const device::JobBatch<device::Nothing, kernels::SumParts>& batch) {
  const kernels::SumParts& job = batch.parameters;
  if (!job.elements) return;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>((job.elements + kThreads - 1) / kThreads, 4096));
  const auto launch = [&]<class T>(Type<T>) { sum_kernel<T><<<blocks, kThreads, 0, stream_of(batch)>>>(job); };
  // Unsigned sums are those of signed integers, too, and their overflow is defined.
  switch (batch.out) {
    case DType::kBFloat16:
      launch(Type<__nv_bfloat16>());
      break;
    case DType::kInt8:
      launch(Type<uint8_t>());
      break;
    case DType::kInt16:
      launch(Type<uint16_t>());
      break;
    case DType::kInt32:
      launch(Type<uint32_t>());
      break;
    case DType::kInt64:
      launch(Type<uint64_t>());
      break;
    default:
      among<uint8_t, uint16_t, uint32_t, uint64_t, __half, float, double>(batch.out, launch);
  }
  check_launch("summing parts");
}

}  // namespace

using kernels::kSum;
PENSTOCK_KERNEL(kSum, launch_sum)

}  // namespace penstock::cuda

// What copies of a module on several GPUs need: new weights, and the sum of their gradients.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/replicas/checksum.cuh"
#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "kernels/replicas/job.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;

__device__ uintptr_t address(const void* at) { return reinterpret_cast<uintptr_t>(at); }
__device__ bool aligned(const void* at) { return address(at) % sizeof(uint4) == 0; }

/// Whether the copies have to be written; the checksum is that of what they get.
__device__ bool is_to_be_sent(const kernels::RenewJob& job, const char* from) {
  if (!job.checksum) return true;
  const uint64_t now = checksum(from, job.bytes);
  if (now == *job.checksum) return false;
  __syncthreads();  // all threads have read the old one
  if (threadIdx.x == 0) *job.checksum = now;
  return true;
}

template <class T>
__device__ void renew_part(const kernels::RenewJob& job, const char* source, char* target, uint32_t first,
                           uint32_t end) {
  const auto* from = reinterpret_cast<const T*>(source);
  for (uint32_t i = first + threadIdx.x; i < end; i += kThreads) {
    const T value = from[i];
    for (uint32_t k = 0; k < job.copies; ++k) reinterpret_cast<T*>(target + address(job.to[k]))[i] = value;
  }
}

// A constant of the grid: else each thread would copy the bases, to index them.
__global__ void __launch_bounds__(kThreads)
    renew_kernel(const kernels::RenewJob* jobs, const __grid_constant__ kernels::Bases bases) {
  const kernels::RenewJob& job = jobs[blockIdx.x];
  const char* from = static_cast<const char*>(bases.at[job.from_base]) + address(job.from);
  char* to = static_cast<char*>(bases.at[job.to_base]);
  if (!is_to_be_sent(job, from)) return;
  bool wide = aligned(from);
  for (uint32_t k = 0; k < job.copies; ++k) wide = wide && aligned(to + address(job.to[k]));
  const uint32_t blocks = wide ? job.bytes / sizeof(uint4) : 0;
  renew_part<uint4>(job, from, to, 0, blocks);
  renew_part<uint8_t>(job, from, to, blocks * sizeof(uint4), job.bytes);
}

__device__ float widened(__half x) { return __half2float(x); }
__device__ float widened(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ float widened(float x) { return x; }
__device__ double widened(double x) { return x; }

__device__ void narrow(float x, __half& to) { to = __float2half_rn(x); }
__device__ void narrow(float x, __nv_bfloat16& to) { to = __float2bfloat16_rn(x); }
__device__ void narrow(float x, float& to) { to = x; }
__device__ void narrow(double x, double& to) { to = x; }

/// Elements that travel together: 16 bytes, or one where some address has no such alignment.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T elements[N];
};

template <class T, int N>
__device__ void total_part(const kernels::TotalJob& job, char* to, uint32_t first, uint32_t end) {
  using Packed = Pack<T, N>;
  for (uint32_t i = first + threadIdx.x; i < end; i += kThreads) {
    decltype(widened(T{})) sums[N] = {};
    for (uint32_t k = 0; k < job.addends; ++k) {
      const Packed addend = static_cast<const Packed*>(job.from[k])[i];
      for (int n = 0; n < N; ++n) sums[n] += widened(addend.elements[n]);
    }
    Packed sum;
    for (int n = 0; n < N; ++n) narrow(sums[n], sum.elements[n]);
    reinterpret_cast<Packed*>(to)[i] = sum;
  }
}

template <class T>
__device__ void total_of(const kernels::TotalJob& job, char* to) {
  constexpr int kWide = sizeof(uint4) / sizeof(T);
  bool wide = aligned(to);
  for (uint32_t k = 0; k < job.addends; ++k) wide = wide && aligned(job.from[k]);
  const uint32_t packs = wide ? job.elements / kWide : 0;
  total_part<T, kWide>(job, to, 0, packs);
  total_part<T, 1>(job, to, packs * kWide, job.elements);
}

__global__ void __launch_bounds__(kThreads) total_kernel(const kernels::TotalJob* jobs, char* to) {
  const kernels::TotalJob& job = jobs[blockIdx.x];
  using kernels::RealType;
  if (job.type == RealType::kFloat32) total_of<float>(job, to + job.to);
  if (job.type == RealType::kFloat64) total_of<double>(job, to + job.to);
  if (job.type == RealType::kFloat16) total_of<__half>(job, to + job.to);
  if (job.type == RealType::kBfloat16) total_of<__nv_bfloat16>(job, to + job.to);
}

void launch_renew(const device::JobBatch<kernels::RenewJob, kernels::Bases>& batch) {
  if (!batch.count) return;
  const auto blocks = static_cast<unsigned>(batch.count);
  renew_kernel<<<blocks, kThreads, 0, stream_of(batch)>>>(batch.jobs, batch.parameters);
  check_launch("renewing copies");
}

void launch_total(const device::JobBatch<kernels::TotalJob, kernels::TotalTarget>& batch) {
  if (!batch.count) return;
  const auto blocks = static_cast<unsigned>(batch.count);
  total_kernel<<<blocks, kThreads, 0, stream_of(batch)>>>(batch.jobs, static_cast<char*>(batch.parameters.base));
  check_launch("summing gradients");
}

}  // namespace

using kernels::kRenew;
using kernels::kTotal;
PENSTOCK_KERNEL(kRenew, launch_renew)
PENSTOCK_KERNEL(kTotal, launch_total)

}  // namespace penstock::cuda

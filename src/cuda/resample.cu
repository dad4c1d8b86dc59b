#include <algorithm>

#include "cuda/check.h"
#include "cuda/elements.cuh"
#include "cuda/kernels.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;

/// One thread an element: sums along y, then x, then z. The CPU may go another way, so float results differ in the last
/// bits.
template <class In, class Out>
__global__ void resample_kernel(const device::ResampleJob* jobs) {
  __shared__ device::ResampleJob job;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(int32_t); i += kThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  const int64_t row = int64_t{job.x.extent} * job.channels;
  const int64_t total = row * job.y.extent * job.z.extent * job.outer;
  const int64_t stride = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < total; i += stride) {
    const int64_t line = i / row;
    const auto in_row = static_cast<int32_t>(i - line * row);
    const int32_t x = in_row / job.channels, channel = in_row - x * job.channels;
    const int64_t plane = line / job.y.extent;
    const auto y = static_cast<int32_t>(line - plane * job.y.extent);
    const int64_t outer = plane / job.z.extent;
    const auto z = static_cast<int32_t>(plane - outer * job.z.extent);
    const float* wx = job.x.weights + int64_t{x} * job.x.taps;
    const float* wy = job.y.weights + int64_t{y} * job.y.taps;
    const float* wz = job.z.weights + int64_t{z} * job.z.taps;
    const int64_t pitch = int64_t{job.columns} * job.channels;
    const In* in = static_cast<const In*>(job.in) +
                   ((outer * job.in_planes + job.z.first[z]) * job.rows + job.y.first[y]) * pitch +
                   int64_t{job.x.first[x]} * job.channels + channel;
    float sum = 0;
    for (int k = 0; k < job.z.taps; ++k) {
      float in_plane = 0;
      for (int j = 0; j < job.x.taps; ++j) {
        const In* column = in + k * job.rows * pitch + int64_t{j} * job.channels;
        float down = 0;
        for (int t = 0; t < job.y.taps; ++t) down = fmaf(wy[t], to_float(column[t * pitch]), down);
        in_plane = fmaf(wx[j], down, in_plane);
      }
      sum = fmaf(wz[k], in_plane, sum);
    }
    static_cast<Out*>(job.out)[i] = convert<Out>(sum);
  }
}

}  // namespace

void resample(cudaStream_t stream, DType in, DType out, const device::ResampleJob* jobs, int count,
              int64_t most_elements) {
  if (!count || !most_elements) return;
  const dim3 grid(static_cast<unsigned>(std::min<int64_t>((most_elements + kThreads - 1) / kThreads, 65535)),
                  static_cast<unsigned>(count));
  among<uint8_t, int16_t, uint16_t, float>(in, [&](auto from) {
    using In = typename decltype(from)::type;
    if (out == DType::kFloat) return resample_kernel<In, float><<<grid, kThreads, 0, stream>>>(jobs);
    resample_kernel<In, In><<<grid, kThreads, 0, stream>>>(jobs);
  });
  check_launch("resampling a batch");
}

}  // namespace penstock::cuda

// Samples to pixels: libjpeg's fancy upsampling and colours, and the pictures that the host has decoded.
#include <algorithm>
#include <cstdint>

#include "codec/jpeg/colour.h"
#include "codec/jpeg/upsample.h"
#include "cuda/check.h"
#include "cuda/copy.cuh"
#include "cuda/divide.cuh"
#include "cuda/kernels.h"

namespace penstock::cuda {
namespace {

using namespace codec::jpeg;

constexpr int kThreads = 256;
constexpr int kPerThread = 4;

struct Samples {
  const uint8_t* first;  // of the plane, if all of it were there
  int stride;

  __device__ int at(int y, int x) const { return first[static_cast<ptrdiff_t>(y) * stride + x]; }
};

/// Component `c` at a pixel of the stored picture.
__device__ int sample(const ScanJob& job, int c, int y, int x) {
  const WantedPlane& w = job.wanted[static_cast<size_t>(c)];
  const Plane& p = w.plane;
  const int stride = w.stride();
  const Samples s{job.samples + size_t{w.blocks_before} * 64 - static_cast<ptrdiff_t>(w.rows.begin) * kSide * stride -
                      w.columns.begin * kSide,
                  stride};
  const bool odd_row = y % 2 != 0, odd_column = x % 2 != 0;
  // Where one axis is doubled, of the two samples that make a pixel the farther one.
  const auto far_row = [&] { return min(max(odd_row ? y / 2 + 1 : y / 2 - 1, 0), p.height - 1); };
  const auto far_column = [&] { return min(max(odd_column ? x / 2 + 1 : x / 2 - 1, 0), p.width - 1); };
  switch (p.upsampling) {
    case Upsampling::kNone:
      return s.at(p.v_ratio == 1 ? y : y / p.v_ratio, x);
    case Upsampling::kTriangleX:
      return triangle(s.at(y, x / 2), s.at(y, far_column()), odd_column);
    case Upsampling::kTriangleY:
      return triangle(s.at(y / 2, x), s.at(far_row(), x), odd_row);
    case Upsampling::kTriangleXY: {
      const int far = far_row(), beside = far_column();
      return triangle_of_sums(3 * s.at(y / 2, x / 2) + s.at(far, x / 2), 3 * s.at(y / 2, beside) + s.at(far, beside),
                              odd_column);
    }
    default:
      return s.at(y / p.v_ratio, x / p.h_ratio);
  }
}

__device__ void write_pixel(const ScanJob& job, const Divider<int32_t>& by_width, int index) {
  const int row = by_width.quotient(index), column = index - row * job.width;
  const int y = job.y0 + row * job.row_y + column * job.column_y;
  const int x = job.x0 + row * job.row_x + column * job.column_x;
  uint8_t* out = job.out + int64_t{index} * job.channels;
  const auto first = static_cast<uint8_t>(sample(job, 0, y, x));
  if (job.channels == 1) {
    *out = first;
    return;
  }
  Rgb pixel{first, first, first};
  if (job.planes == 3) {
    const int second = sample(job, 1, y, x), third = sample(job, 2, y, x);
    pixel = job.convert ? ycc_to_rgb(first, second, third)
                        : Rgb{first, static_cast<uint8_t>(second), static_cast<uint8_t>(third)};
  }
  out[0] = job.reverse ? pixel.b : pixel.r;
  out[1] = pixel.g;
  out[2] = job.reverse ? pixel.r : pixel.b;
}

__global__ void __launch_bounds__(kThreads) pixels_kernel(const ScanJob* jobs) {
  __shared__ ScanJob job;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  __shared__ Divider<int32_t> by_width;
  if (threadIdx.x == 0) by_width = Divider<int32_t>(max(job.width, 1));
  __syncthreads();
  const int pixels = job.height * job.width;  // codec::kMaxPixels at most
  if (job.pixels) {
    copy_bytes(reinterpret_cast<const char*>(job.pixels), reinterpret_cast<char*>(job.out),
               static_cast<size_t>(pixels) * static_cast<size_t>(job.channels));
  } else if (job.planes) {
    const int stride = static_cast<int>(gridDim.x) * kThreads;
    for (int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x); i < pixels; i += stride)
      write_pixel(job, by_width, i);
  }
}

}  // namespace

void make_jpeg_pixels(cudaStream_t stream, const ScanJob* jobs, int count, int64_t most_elements) {
  if (!count || !most_elements) return;
  const int64_t strips = (most_elements / 3 + kThreads * kPerThread) / (kThreads * kPerThread);
  const dim3 grid(static_cast<unsigned>(std::min<int64_t>(strips, 65535)), static_cast<unsigned>(count));
  pixels_kernel<<<grid, kThreads, 0, stream>>>(jobs);
  check_launch("writing a batch of pictures");
}

}  // namespace penstock::cuda

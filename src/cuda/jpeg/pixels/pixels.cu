// Samples to pixels: libjpeg's fancy upsampling and colours, and the pictures that the host has decoded.
#include <algorithm>
#include <cstdint>

#include "codec/jpeg/colour.h"
#include "codec/jpeg/upsample.h"
#include "cuda/jpeg/job.cuh"
#include "cuda/jpeg/launches.h"
#include "cuda/jpeg/pixels/shown.cuh"
#include "cuda/runtime/check.h"
#include "cuda/support/copy.cuh"
#include "cuda/support/divide.cuh"
#include "cuda/support/slices.h"

namespace penstock::cuda {
namespace {

using namespace codec::jpeg;

constexpr int kThreads = 256;
constexpr int kQuad = 4;  // pixels in a row, by one thread

/// A component of the stored picture. Copied from the job: what lies in shared memory is read anew after each store.
class Samples {
 public:
  __device__ Samples(const ScanJob& job, const WantedPlane& w)
      : stride_(w.stride()),
        v_ratio_(w.plane.v_ratio),
        h_ratio_(w.plane.h_ratio),
        kind_(w.plane.upsampling),
        rows_{w.rows.begin * kSide, min(w.rows.end * kSide, w.plane.height) - 1},
        columns_{w.columns.begin * kSide, min(w.columns.end * kSide, w.plane.width) - 1},
        first_(job.samples + size_t{w.blocks_before} * 64) {}

  /// The values of four pixels in a row; `x` is a multiple of 4. Those outside of the wanted part are any.
  __device__ void at(int y, int x, int (&values)[kQuad]) const {
    switch (kind_) {
      case Upsampling::kNone:
        return four(row(v_ratio_ == 1 ? y : y / v_ratio_), x, values);
      case Upsampling::kTriangleY: {
        int far[kQuad];
        four(row(y / 2), x, values);
        four(row(far_of(y)), x, far);
        for (int i = 0; i < kQuad; ++i) values[i] = triangle(values[i], far[i], y % 2 != 0);
        return;
      }
      case Upsampling::kTriangleX: {
        const uint8_t* near = row(y);
        int columns[kQuad];
        for (int i = 0; i < kQuad; ++i) columns[i] = __ldg(near + column(x / 2 - 1 + i));
        return between(columns, values, [](int a, int b, bool odd) { return triangle(a, b, odd); });
      }
      case Upsampling::kTriangleXY: {
        const uint8_t *near = row(y / 2), *far = row(far_of(y));
        int sums[kQuad];
        for (int i = 0; i < kQuad; ++i) {
          const int at = column(x / 2 - 1 + i);
          sums[i] = 3 * __ldg(near + at) + __ldg(far + at);
        }
        return between(sums, values, [](int a, int b, bool odd) { return triangle_of_sums(a, b, odd); });
      }
      default:
        for (int i = 0; i < kQuad; ++i) values[i] = __ldg(row(y / v_ratio_) + column((x + i) / h_ratio_));
    }
  }

 private:
  struct Extent {
    int first, last;
    __device__ int nearest(int i) const { return min(max(i, first), last) - first; }
  };
  __device__ const uint8_t* row(int y) const { return first_ + rows_.nearest(y) * stride_; }
  __device__ int column(int x) const { return columns_.nearest(x); }
  /// Where one axis is doubled, of the two samples that make a pixel the farther one.
  __device__ static int far_of(int i) { return i % 2 != 0 ? i / 2 + 1 : i / 2 - 1; }

  /// Samples of a component of full width lie in whole words, blocks having eight columns.
  __device__ void four(const uint8_t* row, int x, int (&values)[kQuad]) const {
    const int at = min(max(x - columns_.first, 0), stride_ - kQuad);
    const uint32_t word = __ldg(reinterpret_cast<const uint32_t*>(row + at));
    for (int i = 0; i < kQuad; ++i) values[i] = static_cast<int>(word >> (8 * i) & 255);
  }
  template <class Blend>
  __device__ static void between(const int (&columns)[kQuad], int (&values)[kQuad], Blend&& blend) {
    values[0] = blend(columns[1], columns[0], false);
    values[1] = blend(columns[1], columns[2], true);
    values[2] = blend(columns[2], columns[1], false);
    values[3] = blend(columns[2], columns[3], true);
  }

  int stride_, v_ratio_, h_ratio_;
  Upsampling kind_;
  Extent rows_, columns_;  // that are there
  const uint8_t* first_;
};

/// The pixels of a stored row and four columns, where they are wanted, to where they are shown.
class Writer {
 public:
  __device__ explicit Writer(const ScanJob& job) : shown_(job), channels_(job.channels), reverse_(job.reverse) {}

  __device__ void write(int y, int x, const Rgb (&pixels)[kQuad], int begin, int end) const {
    uint8_t* first = shown_.at(y, x);
    const bool words = shown_.upright() && end - begin == kQuad && reinterpret_cast<uintptr_t>(first) % 4 == 0;
    if (words && channels_ == 3) return write_words(reinterpret_cast<uint32_t*>(first), pixels);
    for (int i = 0; i < kQuad; ++i) {
      if (i < begin || i >= end) continue;
      uint8_t* out = first + i * shown_.right();
      const Rgb p = pixels[i];
      out[0] = reverse_ ? p.b : p.r;
      if (channels_ == 1) continue;
      out[1] = p.g;
      out[2] = reverse_ ? p.r : p.b;
    }
  }

 private:
  __device__ void write_words(uint32_t* out, const Rgb (&pixels)[kQuad]) const {
    uint32_t colours[kQuad];
    for (int i = 0; i < kQuad; ++i) {
      const Rgb p = pixels[i];
      const uint32_t r = reverse_ ? p.b : p.r, b = reverse_ ? p.r : p.b;
      colours[i] = r | uint32_t{p.g} << 8 | b << 16;
    }
    out[0] = colours[0] | colours[1] << 24;
    out[1] = colours[1] >> 8 | colours[2] << 16;
    out[2] = colours[2] >> 16 | colours[3] << 8;
  }

  Shown shown_;
  int channels_;
  bool reverse_;
};

__device__ void write_pixels(const ScanJob& job) {
  const Part part(job);
  const Writer writer(job);
  const Samples first(job, job.wanted[0]), second(job, job.wanted[1]), third(job, job.wanted[2]);
  const int planes = job.planes;
  const bool convert = job.convert;
  const int begin = part.x / kQuad * kQuad, quads = (part.x + part.width - begin + kQuad - 1) / kQuad;
  __shared__ Divider<int32_t> by_quads;
  if (threadIdx.x == 0) by_quads = Divider<int32_t>(quads);
  __syncthreads();
  const int stride = static_cast<int>(gridDim.x) * kThreads;
  for (int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x); i < part.height * quads;
       i += stride) {
    const int row = by_quads.quotient(i), y = part.y + row, x = begin + (i - row * quads) * kQuad;
    int a[kQuad], b[kQuad], c[kQuad];
    first.at(y, x, a);
    Rgb pixels[kQuad];
    if (planes == 3) {
      second.at(y, x, b);
      third.at(y, x, c);
    }
    for (int k = 0; k < kQuad; ++k) {
      const auto value = static_cast<uint8_t>(a[k]);
      if (planes != 3)
        pixels[k] = {value, value, value};
      else if (convert)
        pixels[k] = ycc_to_rgb(a[k], b[k], c[k]);
      else
        pixels[k] = {value, static_cast<uint8_t>(b[k]), static_cast<uint8_t>(c[k])};
    }
    writer.write(y, x, pixels, max(part.x - x, 0), min(part.x + part.width - x, kQuad));
  }
}

__global__ void __launch_bounds__(kThreads) pixels_kernel(const ScanJob* jobs) {
  __shared__ ScanJob job;
  load_job<kThreads>(job, jobs);
  const int pixels = job.height * job.width;  // codec::kMaxPixels at most
  if (job.pixels) {
    copy_bytes(reinterpret_cast<const char*>(job.pixels), reinterpret_cast<char*>(job.out),
               static_cast<size_t>(pixels) * static_cast<size_t>(job.channels));
  } else if (job.planes && pixels && !job.direct()) {
    write_pixels(job);
  }
}

}  // namespace

void make_jpeg_pixels(cudaStream_t stream, const ScanJob* jobs, int count, int64_t most_elements) {
  if (!count || !most_elements) return;
  const int64_t all = (most_elements / 3 + kThreads * kQuad) / (kThreads * kQuad);
  const auto strips = static_cast<unsigned>(std::min<int64_t>(all, 65535));
  in_slices(count, [&](int first, unsigned slice) {
    pixels_kernel<<<dim3(strips, slice), kThreads, 0, stream>>>(jobs + first);
  });
  check_launch("writing a batch of pictures");
}

}  // namespace penstock::cuda

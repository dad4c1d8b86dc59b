// What pictures lose when they are written as JPEG, with chroma of half the resolution, and read again: samples of luma
// and chroma, cosine transforms, quantisation, and all of it back. Entropy coding loses nothing and is left out. The
// arithmetic is that of libjpeg-turbo, whose files the tests compare with bit for bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

inline constexpr int kJpegSide = 8;  ///< of a block
inline constexpr int kJpegCoefficients = kJpegSide * kJpegSide;

/// Where the samples of a picture lie between the two halves of the work: a plane of luma, two of chroma, and rows for
/// what the CPU has on the way. Planes hold whole blocks, four side by side, as vectors do.
struct JpegPlanes {
  static constexpr int64_t kMargin = 8;  ///< of rows of chroma, on the left; more on the right
  static constexpr int64_t kSlack = 64;  ///< the CPU's vectors read and write so many bytes beyond a row
  static constexpr int kRows = 4;

  int64_t luma_stride = 0, chroma_stride = 0, luma_rows = 0;

  constexpr JpegPlanes(int64_t rows, int64_t columns)
      : luma_stride((columns + 31) / 32 * 32),
        chroma_stride(kMargin + (columns + 63) / 64 * 32 + kSlack),
        luma_rows((rows + 15) / 16 * 16) {}

  constexpr int64_t chroma_rows() const { return luma_rows / 2; }
  constexpr int64_t luma_bytes() const { return luma_stride * luma_rows; }
  constexpr int64_t chroma_bytes() const { return chroma_stride * chroma_rows(); }
  constexpr int64_t row_bytes() const { return luma_stride + 2 * kSlack; }
  constexpr int64_t bytes() const { return luma_bytes() + 2 * chroma_bytes() + kRows * row_bytes(); }

  /// First sample of a row. @param which 0: blue chroma, 1: red chroma
  constexpr int64_t luma(int64_t y) const { return y * luma_stride; }
  constexpr int64_t chroma(int which, int64_t y) const {
    return luma_bytes() + which * chroma_bytes() + y * chroma_stride + kMargin;
  }
  constexpr int64_t row(int which) const { return luma_bytes() + 2 * chroma_bytes() + which * row_bytes(); }
};

/// Pictures of one size, RGB of uint8, interleaved.
struct JpegDistortionJob {
  const void* in = nullptr;
  void* out = nullptr;
  uint8_t* planes = nullptr;  ///< JpegPlanes::bytes() for each picture; on the CPU for one
  int32_t pictures = 1, rows = 0, columns = 0;
  /// What coefficients of luma and of chroma are multiples of, 1 to 255, row by row.
  uint16_t steps[2][kJpegCoefficients] = {};

  constexpr JpegPlanes layout() const { return {rows, columns}; }
};

/// `most_elements` are bytes.
inline constexpr device::Kernel<JpegDistortionJob> kJpegDistortion{"jpeg_distortion"};

/// Sets the steps that libjpeg takes for a quality. @param quality 1 (lowest) to 100
void set_jpeg_quality(JpegDistortionJob& job, int quality);

/// The same on the CPU.
void jpeg_distortion(const JpegDistortionJob& job);

}  // namespace penstock::kernels

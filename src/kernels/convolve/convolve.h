// Separable convolution of images and volumes: one window of weights an axis, borders mirrored without repeating the
// border pixel (reflect-101), float in between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <penstock/dtype.h>

namespace penstock::kernels {

/// The pixel that stands in for pixel `i` of an axis of `extent` pixels: mirrored at the borders until it lies inside.
int64_t reflected(int64_t i, int64_t extent);

/// A range of pixels of an axis.
struct Range {
  int64_t begin = 0, end = 1;
  int64_t size() const { return end - begin; }
};

/// The pixels that results in `wanted` are made from, with windows that reach `radius` pixels to both sides.
Range reached(Range wanted, int64_t radius, int64_t extent);

struct ConvolveAxis {
  int64_t extent = 1;                     ///< of the whole image
  Range held, wanted;                     ///< of the source that is there; of the result
  std::span<const float> window = kSame;  ///< an odd number of weights

  int64_t radius() const { return static_cast<int64_t>(window.size() / 2); }
  bool copies() const { return window.size() == 1 && window[0] == 1; }
  static constexpr std::array<float, 1> kSame = {1};
};

/// Axes z, y and x of one image; pictures keep z as it is.
using ConvolveAxes = std::array<ConvolveAxis, 3>;

/// Sums convolutions of one image, each with windows of its own. Keeps its buffers from call to call.
class Convolution {
 public:
  /// Begins a sum for a result of these ranges. @param channels that lie interleaved
  void begin(const ConvolveAxes& axes, int64_t channels);
  /// Adds a convolution. @param in what is held: [z][y][x][channel], densely
  /// @throws TypeError for types other than uint8, int16, uint16 and float
  void add(DType in_type, const std::byte* in, const ConvolveAxes& axes);
  /// Writes the sum, rounded and clamped to the type. @throws TypeError likewise
  void store(DType out_type, std::byte* out) const;
  /// Writes one convolution, without the sum in between.
  void run(DType in_type, const std::byte* in, const ConvolveAxes& axes, int64_t channels, DType out_type,
           std::byte* out);

 private:
  template <class Emit>
  void each_line(DType in_type, const std::byte* in, const ConvolveAxes& axes, Emit&& emit);
  void make_plane(DType in_type, const std::byte* in, const ConvolveAxes& axes, int64_t z);

  int64_t channels_ = 1;
  size_t line_ = 0, lines_ = 0;  // floats of a line of the result, and how many
  std::vector<float> sum_, plane_, padded_, made_;
  std::vector<const std::byte*> rows_;
};

}  // namespace penstock::kernels

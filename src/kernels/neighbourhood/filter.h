// Correlation of pictures and volumes with a filter of any extents and weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <penstock/dtype.h>

#include "kernels/neighbourhood/padded_rows.h"

namespace penstock::kernels {

/// Keeps its memory from call to call.
class WindowFilter {
 public:
  /// What follows has these axes; types are any.
  void begin(const WindowAxes& axes, int64_t channels, Border border, float fill, DType in, DType out);
  /// Writes the results of one picture or volume: sums of weights times elements, in float, rounded and clamped.
  /// @param in       what is held: [z][y][x][channel], densely
  /// @param weights  [z][y][x]
  void run(const std::byte* in, const float* weights, std::byte* out);

 private:
  void store(size_t count, std::byte* out) const;

  WindowAxes axes_;
  int64_t channels_ = 1;
  DType out_ = DType::kFloat;
  PaddedRows<float> rows_;
  std::vector<const float*> sources_;
  std::vector<float> line_;
};

}  // namespace penstock::kernels

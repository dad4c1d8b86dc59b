// Magnitudes of Fourier transforms of real numbers, of any length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/fourier/plan.h"

namespace penstock::kernels {

/// The longest transform.
inline constexpr int64_t kMostFourierPoints = int64_t{1} << 24;

/// Columns of real numbers: element j of column l is data[offsets[l] + j * stride] * window[j]; 0 from `count` on.
struct RealColumns {
  const float* data = nullptr;
  const int32_t* offsets = nullptr;  ///< as many as Spectrum::columns()
  int64_t stride = 1;
  int64_t count = 0;
  const float* window = nullptr;  ///< null: 1
};

/// Transforms several columns at a time: a vector register holds an element of each of them. So no instruction moves
/// data within registers, and a column's result does not depend on the others.
class Spectrum {
 public:
  /// @throws ArgumentError for fewer points than 1 or more than kMostFourierPoints
  explicit Spectrum(int64_t points);
  int64_t points() const { return plan_.n; }
  int64_t bins() const { return plan_.n / 2 + 1; }
  /// Columns that are transformed together.
  int64_t columns() const { return columns_; }
  /// Floats that transform() works in.
  size_t work_size() const;
  /// Writes |X|^2, or |X| with `root`, of bin k and column l to rows[k * pitch + l]. All memory of 64-byte alignment
  /// but `rows`.
  void transform(const RealColumns& in, bool root, float* work, float* rows, int64_t pitch) const;

 private:
  RealPlan plan_;
  int64_t columns_ = 1;
};

}  // namespace penstock::kernels

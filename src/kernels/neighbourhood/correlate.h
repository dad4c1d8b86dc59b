// The inner loop of correlation, on whole rows of padded pixels with interleaved channels.
#pragma once

#include <cstddef>

namespace penstock::kernels {

/// Rows that are made at a time, from source elements that are loaded once for all of them.
inline constexpr int kCorrelatedRows = 2;

struct CorrelateRows {
  const float* const* rows = nullptr;  ///< [plane of the window][row of the window, made rows - 1 more]
  const float* weights = nullptr;      ///< [plane][row][column]
  int planes = 1, height = 1, width = 1;
  size_t channels = 1;
  size_t elements = 0;  ///< of a row of the result
};

/// out[r][i] = sum of weights[k][j][c] rows[k][r + j][i + c channels]. The bits of a row do not depend on `made`, the
/// number of rows: kCorrelatedRows or 1.
void correlate_rows(const CorrelateRows& work, int made, float* const* out);

}  // namespace penstock::kernels

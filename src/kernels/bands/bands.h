// Products of a matrix whose rows are zero outside of a band.
#pragma once

#include <cstdint>
#include <span>

namespace penstock::kernels {

/// A row: `weights` of the columns from `first` on.
struct Band {
  int64_t first = 0, count = 0;
  const float* weights = nullptr;
};

/// out[b][i] = the sum of weights[k] * in[first + k][i] over band b; rows have `inner` floats.
void multiply_bands(std::span<const Band> bands, const float* in, int64_t inner, float* out);

}  // namespace penstock::kernels

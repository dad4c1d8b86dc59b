// What Fourier transforms of one length need: factors, roots of unity, and where results lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penstock::kernels {

/// A complex number as kernels load it.
struct Root {
  float re = 1, im = 0;
};

/// Complex transforms of `length` points that are done in place: by radix 4, 2, 3 and 5, decimating frequencies, so
/// that result k comes to lie at place[k].
struct ComplexPlan {
  explicit ComplexPlan(int64_t length);
  int64_t length;
  std::vector<int32_t> radices;
  std::vector<Root> roots;  ///< exp(-2 pi i k / length)
  std::vector<uint32_t> place;
};

/// Whether ComplexPlan knows all prime factors of `length`.
bool is_smooth(int64_t length);

/// exp(-pi i numerator / denominator)
Root unit_root(int64_t numerator, int64_t denominator);

/// Real transforms of n points: complex ones of `points` points, which are n / 2 where n is even, since pairs of
/// samples then are one complex number. A length with a large prime factor is done as a convolution with a chirp
/// (Bluestein, A linear filtering approach to the computation of discrete Fourier transform, 1970), for which `complex`
/// is longer.
struct RealPlan {
  explicit RealPlan(int64_t n);
  bool by_chirp() const { return !chirp.empty(); }

  int64_t n, points;
  ComplexPlan complex;
  std::vector<Root> halves;  ///< exp(-2 pi i k / n), which put the halves of packed pairs together; empty for odd n
  std::vector<Root> chirp;   ///< exp(-pi i k^2 / points)
  std::vector<Root> filter;  ///< transform of the inverse chirp, divided by its length
};

}  // namespace penstock::kernels

#include "kernels/bands/bands.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bands/bands.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The sum of a[i] * b[i].
HWY_INLINE float dot_of(const float* a, const float* b, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto even = hn::Zero(d), odd = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    even = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), even);
    odd = hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), odd);
  }
  for (; i + lanes <= count; i += lanes) even = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), even);
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// kVectors vectors of a row of the product; `in` and `out` begin there.
template <int kVectors, class D>
HWY_INLINE void band_block(D d, const Band& band, const float* in, size_t inner, float* out) {
  const size_t lanes = hn::Lanes(d);
  hn::Vec<D> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  const float* row = in + static_cast<size_t>(band.first) * inner;
  for (int64_t k = 0; k < band.count; ++k, row += inner) {
    const auto weight = hn::Set(d, band.weights[k]);
    for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::MulAdd(hn::LoadU(d, row + v * lanes), weight, sums[v]);
  }
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, out + v * lanes);
}

HWY_NOINLINE void band_row(const Band& band, const float* in, size_t inner, float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + 4 * lanes <= inner; i += 4 * lanes) band_block<4>(d, band, in + i, inner, out + i);
  for (; i + lanes <= inner; i += lanes) band_block<1>(d, band, in + i, inner, out + i);
  if (i == inner) return;
  if (inner >= lanes) return band_block<1>(d, band, in + inner - lanes, inner, out + inner - lanes);  // some once more
  for (; i < inner; ++i) band_block<1>(hn::CappedTag<float, 1>(), band, in + i, inner, out + i);
}

void multiply(std::span<const Band> bands, const float* in, int64_t inner, float* out) {
  for (const Band& band : bands) {
    if (inner == 1)
      *out = dot_of(band.weights, in + band.first, static_cast<size_t>(band.count));
    else
      band_row(band, in, static_cast<size_t>(inner), out);
    out += inner;
  }
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {
HWY_EXPORT(multiply);
}

void multiply_bands(std::span<const Band> bands, const float* in, int64_t inner, float* out) {
  HWY_DYNAMIC_DISPATCH(multiply)(bands, in, inner, out);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

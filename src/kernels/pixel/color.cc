#include "kernels/pixel/color.h"

#include <algorithm>

#include "core/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pixel/color.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::Rebind<int32_t, Floats>;
using Bytes = hn::Rebind<uint8_t, Floats>;

HWY_INLINE hn::Vec<Floats> Load(const uint8_t* in) {
  return hn::ConvertTo(Floats(), hn::PromoteTo(Integers(), hn::LoadU(Bytes(), in)));
}

/// Rounds half away from zero, as convert_sat does. Adding one half before truncating would not: 0.49999997 becomes 1.
HWY_INLINE void StoreRounded(hn::Vec<Floats> value, uint8_t* out) {
  const Floats d;
  const Integers di;
  const auto bounded = hn::Min(hn::Max(value, hn::Zero(d)), hn::Set(d, 255.f));
  const auto whole = hn::ConvertTo(di, bounded);
  const auto up = hn::Ge(hn::Sub(bounded, hn::ConvertTo(d, whole)), hn::Set(d, 0.5f));
  hn::StoreU(hn::DemoteTo(Bytes(), hn::Sub(whole, hn::VecFromMask(di, hn::RebindMask(di, up)))), Bytes(), out);
}

void AffineRow(const uint8_t* in, size_t n, float factor, float summand, uint8_t* out) {
  const Floats d;
  const auto f = hn::Set(d, factor), s = hn::Set(d, summand);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) StoreRounded(hn::Add(hn::Mul(Load(in + i), f), s), out + i);
  for (; i < n; ++i) out[i] = convert_sat<uint8_t>(static_cast<float>(in[i]) * factor + summand);
}

constexpr size_t kChunk = 512;  // pixels at a time: their planes stay in the L1 cache

/// One plane of the result from three planes; `n` is a multiple of the lanes.
void MapPlane(const uint8_t (&in)[3][kChunk], size_t n, const Matrix3& matrix, size_t channel, uint8_t* out) {
  const Floats d;
  const auto a = hn::Set(d, matrix.m[3 * channel]), b = hn::Set(d, matrix.m[3 * channel + 1]),
             c = hn::Set(d, matrix.m[3 * channel + 2]), offset = hn::Set(d, matrix.offset[channel]);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto sum = hn::Add(hn::Mul(a, Load(&in[0][i])), hn::Mul(b, Load(&in[1][i])));
    StoreRounded(hn::Add(hn::Add(sum, hn::Mul(c, Load(&in[2][i]))), offset), out + i);
  }
}

void Matrix3Row(const uint8_t* in, size_t n, const Matrix3& matrix, uint8_t* out) {
  const hn::CappedTag<uint8_t, 16> d;
  const size_t lanes = std::max(hn::Lanes(d), hn::Lanes(Floats()));
  HWY_ALIGN uint8_t from[3][kChunk];
  HWY_ALIGN uint8_t to[3][kChunk];
  hn::Vec<decltype(d)> a, b, c;
  while (n >= lanes) {
    const size_t count = std::min(n, kChunk) / lanes * lanes;
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      hn::LoadInterleaved3(d, in + 3 * i, a, b, c);
      hn::Store(a, d, &from[0][i]), hn::Store(b, d, &from[1][i]), hn::Store(c, d, &from[2][i]);
    }
    for (size_t channel = 0; channel < 3; ++channel) MapPlane(from, count, matrix, channel, to[channel]);
    for (size_t i = 0; i < count; i += hn::Lanes(d))
      hn::StoreInterleaved3(hn::Load(d, &to[0][i]), hn::Load(d, &to[1][i]), hn::Load(d, &to[2][i]), d, out + 3 * i);
    in += 3 * count, out += 3 * count, n -= count;
  }
  for (; n > 0; --n, in += 3, out += 3)
    for (size_t channel = 0; channel < 3; ++channel)
      out[channel] = convert_sat<uint8_t>(mapped(matrix, channel, in[0], in[1], in[2]));
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(AffineRow);
HWY_EXPORT(Matrix3Row);

void affine_row(const uint8_t* in, size_t n, float factor, float summand, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(AffineRow)(in, n, factor, summand, out);
}

void matrix3_row(const uint8_t* in, size_t n, const Matrix3& matrix, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(Matrix3Row)(in, n, matrix, out);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

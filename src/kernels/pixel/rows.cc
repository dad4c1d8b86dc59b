#include "kernels/pixel/rows.h"

#include "core/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pixel/rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Blocks of 16 bytes: reversing lanes across wider registers costs more than the loads and stores it would save.
using Block = hn::CappedTag<uint8_t, 16>;

template <class D>
hn::Vec<D> backwards(D d) {
  const auto lanes = static_cast<uint8_t>(hn::Lanes(d) - 1);
  return hn::Sub(hn::Set(d, lanes), hn::Iota(d, 0));
}

void Deinterleave3(const uint8_t* in, size_t n, uint8_t* p0, uint8_t* p1, uint8_t* p2, bool mirrored) {
  const Block d;
  const size_t lanes = hn::Lanes(d);
  const auto order = backwards(d);
  hn::Vec<Block> a, b, c;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::LoadInterleaved3(d, in + 3 * i, a, b, c);
    const size_t to = mirrored ? n - i - lanes : i;
    if (mirrored) {
      a = hn::TableLookupBytes(a, order);
      b = hn::TableLookupBytes(b, order);
      c = hn::TableLookupBytes(c, order);
    }
    hn::StoreU(a, d, p0 + to);
    hn::StoreU(b, d, p1 + to);
    hn::StoreU(c, d, p2 + to);
  }
  for (; i < n; ++i) {
    const size_t to = mirrored ? n - 1 - i : i;
    p0[to] = in[3 * i], p1[to] = in[3 * i + 1], p2[to] = in[3 * i + 2];
  }
}

void MirrorPixels3(const uint8_t* in, size_t n, uint8_t* out) {
  const Block d;
  const size_t lanes = hn::Lanes(d);
  const auto order = backwards(d);
  hn::Vec<Block> a, b, c;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::LoadInterleaved3(d, in + 3 * i, a, b, c);
    hn::StoreInterleaved3(hn::TableLookupBytes(a, order), hn::TableLookupBytes(b, order),
                          hn::TableLookupBytes(c, order), d, out + 3 * (n - i - lanes));
  }
  for (; i < n; ++i)
    for (size_t k = 0; k < 3; ++k) out[3 * (n - 1 - i) + k] = in[3 * i + k];
}

void MirrorPixels1(const uint8_t* in, size_t n, uint8_t* out) {
  const Block d;
  const size_t lanes = hn::Lanes(d);
  const auto order = backwards(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::TableLookupBytes(hn::LoadU(d, in + i), order), d, out + n - i - lanes);
  for (; i < n; ++i) out[n - 1 - i] = in[i];
}

using Floats = hn::ScalableTag<float>;

HWY_INLINE hn::Vec<Floats> Normalized(const uint8_t* in, const float* mean, const float* inverse) {
  const Floats d;
  const hn::Rebind<uint8_t, Floats> bytes;
  const hn::Rebind<int32_t, Floats> integers;
  const auto value = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, in)));
  return hn::Mul(hn::Sub(value, hn::LoadU(d, mean)), hn::LoadU(d, inverse));
}

void NormalizeToFloat(const uint8_t* in, size_t n, const float* mean, const float* inverse, float* out) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(Normalized(in + i, mean + i, inverse + i), d, out + i);
  for (; i < n; ++i) out[i] = (static_cast<float>(in[i]) - mean[i]) * inverse[i];
}

void NormalizeToHalf(const uint8_t* in, size_t n, const float* mean, const float* inverse, float16* out) {
  size_t i = 0;
// Highway's emulation on processors without conversion to half precision truncates; ours rounds.
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
  const Floats d;
  const hn::Rebind<hwy::float16_t, Floats> halves;
  const auto high = hn::Set(d, kMostFloat16), low = hn::Set(d, -kMostFloat16);
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    // Written so that NaN stays NaN: the second operand is returned where the first is no number.
    const auto value = Normalized(in + i, mean + i, inverse + i);
    const auto bounded = hn::Min(high, hn::Max(low, value));
    const auto kept = hn::IfThenElse(hn::IsInf(value), value, bounded);
    hn::StoreU(hn::DemoteTo(halves, kept), halves, reinterpret_cast<hwy::float16_t*>(out + i));
  }
#endif
  for (; i < n; ++i) out[i] = convert_sat<float16>((static_cast<float>(in[i]) - mean[i]) * inverse[i]);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(Deinterleave3);
HWY_EXPORT(MirrorPixels3);
HWY_EXPORT(MirrorPixels1);
HWY_EXPORT(NormalizeToFloat);
HWY_EXPORT(NormalizeToHalf);

void deinterleave3(const uint8_t* in, size_t n, uint8_t* p0, uint8_t* p1, uint8_t* p2, bool mirrored) {
  HWY_DYNAMIC_DISPATCH(Deinterleave3)(in, n, p0, p1, p2, mirrored);
}

void mirror_pixels(const uint8_t* in, size_t n, int channels, uint8_t* out) {
  if (channels == 3) {
    HWY_DYNAMIC_DISPATCH(MirrorPixels3)(in, n, out);
  } else {
    HWY_DYNAMIC_DISPATCH(MirrorPixels1)(in, n, out);
  }
}

void normalize_row(const uint8_t* in, size_t n, const float* mean, const float* inverse, float* out) {
  HWY_DYNAMIC_DISPATCH(NormalizeToFloat)(in, n, mean, inverse, out);
}

void normalize_row(const uint8_t* in, size_t n, const float* mean, const float* inverse, float16* out) {
  HWY_DYNAMIC_DISPATCH(NormalizeToHalf)(in, n, mean, inverse, out);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

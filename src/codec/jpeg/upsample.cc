#include "codec/jpeg/upsample.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/jpeg/upsample.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::codec::jpeg::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<uint8_t, kRowSlack>;

/// floor((a + b) / 2); the machine's average rounds up.
HWY_INLINE hn::Vec<Bytes> AverageDown(hn::Vec<Bytes> a, hn::Vec<Bytes> b) {
  return hn::Sub(hn::AverageRound(a, b), hn::And(hn::Xor(a, b), hn::Set(Bytes(), 1)));
}

// triangle() in bytes: (3 a + b + 2) >> 2 is (a + floor((a + b) / 2) + 1) >> 1, and the other way round for 1.
template <bool kOdd>
HWY_INLINE hn::Vec<Bytes> Triangle(hn::Vec<Bytes> near, hn::Vec<Bytes> far) {
  if constexpr (kOdd) return hn::AverageRound(near, AverageDown(near, far));
  return AverageDown(near, hn::AverageRound(near, far));
}

template <bool kOdd>
void BlendRows(const uint8_t* near, const uint8_t* far, size_t n, uint8_t* out) {
  const Bytes d;
  for (size_t i = 0; i < n; i += hn::Lanes(d))
    hn::StoreU(Triangle<kOdd>(hn::LoadU(d, near + i), hn::LoadU(d, far + i)), d, out + i);
}

void TriangleRows(const uint8_t* near, const uint8_t* far, size_t n, bool odd, uint8_t* out) {
  odd ? BlendRows<true>(near, far, n, out) : BlendRows<false>(near, far, n, out);
}

void TriangleColumns(const uint8_t* in, size_t n, uint8_t* out) {
  const Bytes d;
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto here = hn::LoadU(d, in + i);
    hn::StoreInterleaved2(Triangle<false>(here, hn::LoadU(d, in + i - 1)),
                          Triangle<true>(here, hn::LoadU(d, in + i + 1)), d, out + 2 * i);
  }
}

using Words = hn::CappedTag<int16_t, kRowSlack / 2>;
using HalfBytes = hn::Rebind<uint8_t, Words>;

HWY_INLINE hn::Vec<Words> ColumnSums(const uint8_t* near, const uint8_t* far) {
  const Words d;
  const auto a = hn::PromoteTo(d, hn::LoadU(HalfBytes(), near)), b = hn::PromoteTo(d, hn::LoadU(HalfBytes(), far));
  return hn::Add(hn::Add(hn::Add(a, a), a), b);
}

template <int kRounding>
HWY_INLINE hn::Vec<HalfBytes> TriangleOfSums(hn::Vec<Words> three, hn::Vec<Words> far) {
  const auto sum = hn::Add(hn::Add(three, far), hn::Set(Words(), kRounding));
  return hn::DemoteTo(HalfBytes(), hn::ShiftRight<4>(sum));
}

void TriangleBoth(const uint8_t* near, const uint8_t* far, size_t n, uint8_t* out) {
  const Words d;
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto here = ColumnSums(near + i, far + i);
    const auto three = hn::Add(hn::Add(here, here), here);
    hn::StoreInterleaved2(TriangleOfSums<8>(three, ColumnSums(near + i - 1, far + i - 1)),
                          TriangleOfSums<7>(three, ColumnSums(near + i + 1, far + i + 1)), HalfBytes(), out + 2 * i);
  }
}

}  // namespace penstock::codec::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::codec::jpeg {

HWY_EXPORT(TriangleRows);
HWY_EXPORT(TriangleColumns);
HWY_EXPORT(TriangleBoth);

void triangle_rows(const uint8_t* near, const uint8_t* far, size_t n, bool odd, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(TriangleRows)(near, far, n, odd, out);
}

void triangle_columns(const uint8_t* in, size_t n, uint8_t* out) { HWY_DYNAMIC_DISPATCH(TriangleColumns)(in, n, out); }

void triangle_both(const uint8_t* near, const uint8_t* far, size_t n, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(TriangleBoth)(near, far, n, out);
}

}  // namespace penstock::codec::jpeg
#endif  // HWY_ONCE

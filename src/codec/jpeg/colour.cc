#include "codec/jpeg/colour.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/jpeg/colour.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::codec::jpeg::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sixteen pixels at a time: interleaving bytes over wider registers costs more than it saves.
using Words = hn::CappedTag<int16_t, 16>;
using Bytes = hn::Rebind<uint8_t, Words>;

struct Pixels {
  hn::Vec<Bytes> r, g, b;
};

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE Pixels ToRgb(hn::Vec<Bytes> y, hn::Vec<Bytes> cb, hn::Vec<Bytes> cr) {
  const Rgb c = ycc_to_rgb(y.raw, cb.raw, cr.raw);
  return {hn::Set(Bytes(), c.r), hn::Set(Bytes(), c.g), hn::Set(Bytes(), c.b)};
}

#else

template <int kA, int kB>
HWY_INLINE hn::Vec<hn::Repartition<int32_t, Words> > Products(hn::Vec<Words> interleaved) {
  const hn::Repartition<int32_t, Words> d32;
  const auto factors =
      hn::BitCast(Words(), hn::Set(d32, static_cast<int32_t>(static_cast<uint32_t>(kB) << 16 | (kA & 0xFFFF))));
  auto odd = hn::Zero(d32);
  // Sums begin with 0: which of them a product goes into is the instruction set's affair.
  const auto even = hn::ReorderWidenMulAccumulate(d32, interleaved, factors, hn::Zero(d32), odd);
  return hn::ShiftRight<16>(hn::Add(hn::RearrangeToOddPlusEven(even, odd), hn::Set(d32, 1 << 15)));
}

/// ycc_to_rgb in 16 bits. Multiples of 2^16 are taken out of the factors, so that what is left fits; the fractions of
/// 15 bits give the same for each of the 256 values that chroma can have (a test goes through all colours).
HWY_INLINE Pixels ToRgb(hn::Vec<Bytes> y8, hn::Vec<Bytes> cb8, hn::Vec<Bytes> cr8) {
  const Words d;
  const Bytes bytes;
  const auto middle = hn::Set(d, 128);
  const auto y = hn::PromoteTo(d, y8);
  const auto cb = hn::Sub(hn::PromoteTo(d, cb8), middle), cr = hn::Sub(hn::PromoteTo(d, cr8), middle);
  const auto r = hn::Add(hn::Add(y, cr), hn::MulFixedPoint15(cr, hn::Set(d, 13173)));
  const auto b = hn::Add(hn::Add(y, hn::Add(cb, cb)), hn::MulFixedPoint15(cb, hn::Set(d, -7471)));
  const auto lower = Products<-22554, 65536 - 46802>(hn::InterleaveLower(d, cb, cr));
  const auto upper = Products<-22554, 65536 - 46802>(hn::InterleaveUpper(d, cb, cr));
  const auto g = hn::Add(hn::Sub(y, cr), hn::ReorderDemote2To(d, lower, upper));
  return {hn::DemoteTo(bytes, r), hn::DemoteTo(bytes, g), hn::DemoteTo(bytes, b)};
}

#endif  // HWY_SCALAR

/// Makes `n` pixels of three bytes through `make`, which gives those of a vector from a position on.
template <class Make>
HWY_INLINE void StoreRow(size_t n, uint8_t* out, const Make& make) {
  const Bytes d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Pixels p = make(i);
    hn::StoreInterleaved3(p.r, p.g, p.b, d, out + 3 * i);
  }
  if (i == n) return;
  const Pixels p = make(i);
  HWY_ALIGN uint8_t last[3 * hn::MaxLanes(Bytes())];
  hn::StoreInterleaved3(p.r, p.g, p.b, d, last);
  std::memcpy(out + 3 * i, last, 3 * (n - i));
}

void YccRow(const uint8_t* y, const uint8_t* cb, const uint8_t* cr, size_t n, bool bgr, uint8_t* out) {
  const Bytes d;
  const auto pixels = [&](size_t i)
                          HWY_ATTR { return ToRgb(hn::LoadU(d, y + i), hn::LoadU(d, cb + i), hn::LoadU(d, cr + i)); };
  if (bgr) {
    StoreRow(n, out, [&](size_t i) HWY_ATTR {
      const Pixels p = pixels(i);
      return Pixels{p.b, p.g, p.r};
    });
  } else {
    StoreRow(n, out, pixels);
  }
}

void InterleaveRow(const uint8_t* a, const uint8_t* b, const uint8_t* c, size_t n, uint8_t* out) {
  const Bytes d;
  StoreRow(n, out, [&](size_t i) HWY_ATTR {
    return Pixels{hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i)};
  });
}

}  // namespace penstock::codec::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::codec::jpeg {

HWY_EXPORT(YccRow);
HWY_EXPORT(InterleaveRow);

void ycc_row(const uint8_t* y, const uint8_t* cb, const uint8_t* cr, size_t n, bool bgr, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(YccRow)(y, cb, cr, n, bgr, out);
}

void interleave_row(const uint8_t* a, const uint8_t* b, const uint8_t* c, size_t n, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(InterleaveRow)(a, b, c, n, out);
}

void cmyk_row(const uint8_t* const rows[4], size_t n, uint8_t* out) {
  for (size_t i = 0; i < n; ++i)
    for (size_t c = 0; c < 4; ++c) *out++ = rows[c][i];
}

void ycck_row(const uint8_t* const rows[4], size_t n, uint8_t* out) {
  for (size_t i = 0; i < n; ++i, out += 4) {
    const Rgb light = ycc_to_rgb(rows[0][i], rows[1][i], rows[2][i]);
    out[0] = static_cast<uint8_t>(255 - light.r);
    out[1] = static_cast<uint8_t>(255 - light.g);
    out[2] = static_cast<uint8_t>(255 - light.b);
    out[3] = rows[3][i];
  }
}

void cmyk_to_rgb(const uint8_t* cmyk, size_t n, bool inverted, uint8_t* rgb) {
  const int flip = inverted ? 0 : 255;
  for (size_t i = 0; i < n; ++i, cmyk += 4, rgb += 3)
    for (int c = 0; c < 3; ++c) rgb[c] = static_cast<uint8_t>((cmyk[c] ^ flip) * (cmyk[3] ^ flip) / 255);
}

}  // namespace penstock::codec::jpeg
#endif  // HWY_ONCE

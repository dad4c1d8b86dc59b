#include "codec/jpeg/idct.h"

#include <algorithm>

#include "codec/jpeg/transform.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/jpeg/idct.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::codec::jpeg::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void InverseDct(const int16_t* const* blocks, size_t count, const uint16_t* quantisation, uint8_t* out, size_t stride) {
  for (size_t i = 0; i < count; ++i) inverse_dct_block(blocks[i], quantisation, out + 8 * i, stride);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

#include "codec/jpeg/inverse_pass.inc"

// A row of a block is 128 bits; a vector holds the same row of one, two or four blocks.
using Row = hn::CappedTag<int16_t, 32>;
using Single = hn::CappedTag<int16_t, 8>;
constexpr size_t kMostBlocks = 4;

template <class D>
using Wide = hn::Repartition<int32_t, D>;

/// Sums of 32 bits for the even and the odd half of each 128-bit block, as interleaving leaves them.
template <class D>
struct WidePair {
  hn::Vec<Wide<D> > lower, upper;
};

template <class D>
struct VectorOps {
  using V = hn::Vec<D>;
  using W = WidePair<D>;

  HWY_INLINE V add(V a, V b) const { return hn::Add(a, b); }
  HWY_INLINE V sub(V a, V b) const { return hn::Sub(a, b); }
  HWY_INLINE W scale(V a) const {
    const D d;
    const Wide<D> wide;
    const V zero = hn::Zero(d);  // a number in the upper half of 32 bits is the number times 2^16
    return {hn::ShiftRight<16 - kConstantBits>(hn::BitCast(wide, hn::InterleaveLower(d, zero, a))),
            hn::ShiftRight<16 - kConstantBits>(hn::BitCast(wide, hn::InterleaveUpper(d, zero, a)))};
  }
  template <int kA, int kB>
  HWY_INLINE W pair(V a, V b) const {
    const D d;
    const Wide<D> wide;
    const V factors =
        hn::BitCast(d, hn::Set(wide, static_cast<int32_t>(static_cast<uint32_t>(kB) << 16 | (kA & 0xFFFF))));
    return {products(hn::InterleaveLower(d, a, b), factors), products(hn::InterleaveUpper(d, a, b), factors)};
  }
  HWY_INLINE W sum(W a, W b) const { return {hn::Add(a.lower, b.lower), hn::Add(a.upper, b.upper)}; }
  HWY_INLINE W difference(W a, W b) const { return {hn::Sub(a.lower, b.lower), hn::Sub(a.upper, b.upper)}; }
  template <int kShift>
  HWY_INLINE V narrow(W a) const {
    const auto half = hn::Set(Wide<D>(), 1 << (kShift - 1));
    return hn::ReorderDemote2To(D(), hn::ShiftRight<kShift>(hn::Add(a.lower, half)),
                                hn::ShiftRight<kShift>(hn::Add(a.upper, half)));
  }

 private:
  static HWY_INLINE hn::Vec<Wide<D> > products(V interleaved, V factors) {
    auto odd = hn::Zero(Wide<D>());
    const auto even = hn::ReorderWidenMulAccumulate(Wide<D>(), interleaved, factors, hn::Zero(Wide<D>()), odd);
    return hn::RearrangeToOddPlusEven(even, odd);
  }
};

template <class D>
HWY_INLINE void Transpose(D d, hn::Vec<D> (&x)[8]) {
  const Wide<D> d32;
  const hn::Repartition<int64_t, D> d64;
  hn::Vec<D> a[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = hn::InterleaveLower(d, x[2 * i], x[2 * i + 1]);
    a[2 * i + 1] = hn::InterleaveUpper(d, x[2 * i], x[2 * i + 1]);
  }
  hn::Vec<D> b[8];
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; ++k) {
      const auto low = hn::BitCast(d32, a[i + k]), high = hn::BitCast(d32, a[i + k + 2]);
      b[i + 2 * k] = hn::BitCast(d, hn::InterleaveLower(d32, low, high));
      b[i + 2 * k + 1] = hn::BitCast(d, hn::InterleaveUpper(d32, low, high));
    }
  for (int i = 0; i < 4; ++i) {
    const auto low = hn::BitCast(d64, b[i]), high = hn::BitCast(d64, b[i + 4]);
    x[2 * i] = hn::BitCast(d, hn::InterleaveLower(d64, low, high));
    x[2 * i + 1] = hn::BitCast(d, hn::InterleaveUpper(d64, low, high));
  }
}

/// The same row of as many blocks as a vector holds.
template <class D>
HWY_INLINE hn::Vec<D> LoadRow(D d, const int16_t* const* blocks, size_t row) {
  if constexpr (hn::MaxLanes(d) <= 8) {
    return hn::LoadU(d, blocks[0] + 8 * row);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadRow(half, blocks + hn::MaxLanes(half) / 8, row), LoadRow(half, blocks, row));
  }
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFactors(D d, const uint16_t* quantisation, size_t row) {
  const int16_t* at = reinterpret_cast<const int16_t*>(quantisation) + 8 * row;
  return hn::LoadDup128(d, at);
}

template <class D>
HWY_INLINE void Blocks(D d, const int16_t* const* blocks, const uint16_t* quantisation, uint8_t* out, size_t stride) {
  const VectorOps<D> ops;
  hn::Vec<D> x[8];
  for (size_t i = 0; i < 8; ++i) x[i] = LoadRow(d, blocks, i);
  const auto below = hn::Or(hn::Or(hn::Or(x[1], x[2]), hn::Or(x[3], x[4])), hn::Or(hn::Or(x[5], x[6]), x[7]));
  const bool flat = hn::AllTrue(d, hn::Eq(below, hn::Zero(d)));
  x[0] = hn::Mul(x[0], LoadFactors(d, quantisation, 0));
  if (flat) {
    // Every row is the same. libjpeg-turbo also has this way out, in which 16 bits wrap around.
    x[0] = hn::ShiftLeft<kPassBits>(x[0]);
    for (size_t i = 1; i < 8; ++i) x[i] = x[0];
  } else {
    if constexpr (hn::MaxLanes(d) > 8) {
      // Beyond this, a block that is flat beside one that is not would come out otherwise than alone.
      if (!hn::AllTrue(d, hn::Eq(hn::ShiftRight<kPassBits>(hn::ShiftLeft<kPassBits>(x[0])), x[0]))) {
        for (size_t i = 0; i < hn::MaxLanes(d) / 8; ++i)
          Blocks(Single(), blocks + i, quantisation, out + 8 * i, stride);
        return;
      }
    }
    for (size_t i = 1; i < 8; ++i) x[i] = hn::Mul(x[i], LoadFactors(d, quantisation, i));
    HWY_NAMESPACE::inverse_pass<kFirstShift>(ops, x);
  }
  Transpose(d, x);
  HWY_NAMESPACE::inverse_pass<kSecondShift>(ops, x);
  Transpose(d, x);
  const hn::Rebind<uint8_t, D> bytes;
  const auto middle = hn::Set(d, 128);
  for (size_t i = 0; i < 8; ++i)
    hn::StoreU(hn::DemoteTo(bytes, hn::SaturatedAdd(x[i], middle)), bytes, out + i * stride);
}

void InverseDct(const int16_t* const* blocks, size_t count, const uint16_t* quantisation, uint8_t* out, size_t stride) {
  const Row d;
  constexpr size_t kBlocks = hn::MaxLanes(Row()) / 8;
  static_assert(kBlocks <= kMostBlocks);
  size_t i = 0;
  for (; i + kBlocks <= count; i += kBlocks) Blocks(d, blocks + i, quantisation, out + 8 * i, stride);
  if (i == count) return;
  const int16_t* rest[kMostBlocks];  // some blocks once more: what they write beyond the last one is slack
  for (size_t k = 0; k < kBlocks; ++k) rest[k] = blocks[std::min(i + k, count - 1)];
  Blocks(d, rest, quantisation, out + 8 * i, stride);
}

#endif  // HWY_SCALAR

}  // namespace penstock::codec::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::codec::jpeg {

HWY_EXPORT(InverseDct);

void inverse_dct(const int16_t* const* blocks, size_t count, const uint16_t* quantisation, uint8_t* out,
                 size_t stride) {
  HWY_DYNAMIC_DISPATCH(InverseDct)(blocks, count, quantisation, out, stride);
}

}  // namespace penstock::codec::jpeg
#endif  // HWY_ONCE

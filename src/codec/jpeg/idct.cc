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

#include "codec/jpeg/vector_passes.inc"

// A row of a block is 128 bits; a vector holds the same row of one, two or four blocks.
using Row = hn::CappedTag<int16_t, 32>;
using Single = hn::CappedTag<int16_t, 8>;
constexpr size_t kMostBlocks = 4;

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

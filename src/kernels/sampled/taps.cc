#include "kernels/sampled/taps.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sampled/taps.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Integers = hn::RebindToSigned<Floats>;
using Bits = hn::RebindToUnsigned<Floats>;
using Float = hn::Vec<Floats>;
using Integer = hn::Vec<Integers>;

// Operation by operation as tap_of(), so that all positions have the same bits.
SampledSpan FindTaps(bool linear, size_t count, const float* place, int32_t* low, float* weight) {
  const Floats d;
  const Integers integer;
  const auto far = hn::Set(d, 0x1p30f), zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto to_centre = hn::Set(d, linear ? 0.5f : 0.0f);
  auto least = hn::Set(integer, INT32_MAX), most = hn::Set(integer, INT32_MIN);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto centred = hn::Sub(hn::LoadU(d, place + i), to_centre);
    // NaN comes out at the low end, as no comparison holds for it.
    const auto bounded = hn::IfThenElse(hn::Gt(centred, hn::Neg(far)), hn::Min(centred, far), hn::Neg(far));
    const auto whole = hn::Floor(bounded);
    const auto index = hn::ConvertTo(integer, whole);
    const auto part = hn::Sub(centred, whole);
    const auto valid = hn::And(hn::Ge(part, zero), hn::Le(part, one));
    hn::StoreU(index, integer, low + i);
    hn::StoreU(hn::IfThenElseZero(valid, part), d, weight + i);
    least = hn::Min(least, index);
    most = hn::Max(most, index);
  }
  return {hn::GetLane(hn::MinOfLanes(integer, least)), hn::GetLane(hn::MaxOfLanes(integer, most))};
}

HWY_INLINE Integer Clamped(Integer index, int32_t least, int32_t most) {
  const Integers d;
  return hn::Min(hn::Max(index, hn::Set(d, least)), hn::Set(d, most));
}

HWY_INLINE Float Between(Float low, Float high, Float weight) {
  return hn::Add(low, hn::Mul(hn::Sub(high, low), weight));
}

template <int kByte>
HWY_INLINE Float ByteOf(Integer four) {
  const Bits d;
  const auto bits = hn::And(hn::ShiftRight<8 * kByte>(hn::BitCast(d, four)), hn::Set(d, 0xff));
  return hn::ConvertTo(Floats(), hn::BitCast(Integers(), bits));
}

// Channels of a pixel mixed with those of the pixel to its right. Both are six bytes: two loads of four overlap.
struct Row {
  HWY_INLINE Row(const uint8_t* first, Integer offset, Float weight) {
    const Integers d;
    const auto* words = reinterpret_cast<const int32_t*>(first);
    const auto left = hn::GatherOffset(d, words, offset);
    const auto right = hn::GatherOffset(d, words, hn::Add(offset, hn::Set(d, 2)));
    channel0 = Between(ByteOf<0>(left), ByteOf<3>(left), weight);
    channel1 = Between(ByteOf<1>(left), ByteOf<2>(right), weight);
    channel2 = Between(ByteOf<2>(left), ByteOf<3>(right), weight);
  }
  Float channel0, channel1, channel2;
};

// Rounds half away from zero, as convert_sat().
HWY_INLINE hn::Vec<hn::Rebind<uint8_t, Floats>> Bytes(Float value) {
  const Floats d;
  const Integers integer;
  const auto whole = hn::ConvertTo(integer, value);
  const auto up = hn::Ge(hn::Sub(value, hn::ConvertTo(d, whole)), hn::Set(d, 0.5f));
  const auto rounded = hn::Sub(whole, hn::VecFromMask(integer, hn::RebindMask(integer, up)));
  return hn::DemoteTo(hn::Rebind<uint8_t, Floats>(), rounded);
}

void MixBytes3(const SampledBytes& s, const SampledBlock& block, size_t begin, size_t end, uint8_t* out) {
  const Floats d;
  const Integers integer;
  const hn::Rebind<uint8_t, Floats> bytes;
  const size_t lanes = hn::Lanes(d);
  const auto first_column = hn::Set(integer, s.columns.least), last_column = hn::Set(integer, s.columns.most - 1);
  const auto first_row = hn::Set(integer, s.rows.least), stride = hn::Set(integer, s.stride);
  const auto three = hn::Set(integer, 3), next = hn::Set(integer, 1);
  for (size_t i = begin; i < end; i += lanes) {
    // A vector that would leave the block starts earlier, and writes what it wrote before.
    const size_t at = std::min(i, SampledBlock::kMost - lanes);
    const auto x = hn::LoadU(integer, block.low[0] + at), y = hn::LoadU(integer, block.low[1] + at);
    auto across = hn::LoadU(d, block.weight[0] + at);
    // Beyond a border both neighbours are its pixel: the weight picks it, exactly, for these are whole numbers.
    across = hn::IfThenElse(hn::RebindMask(d, hn::Lt(x, first_column)), hn::Zero(d), across);
    across = hn::IfThenElse(hn::RebindMask(d, hn::Gt(x, last_column)), hn::Set(d, 1.0f), across);
    const auto column = hn::Mul(hn::Sub(Clamped(x, s.columns.least, s.columns.most - 1), first_column), three);
    const auto offset_in = [&](Integer row) {
      return hn::Add(hn::Mul(hn::Sub(Clamped(row, s.rows.least, s.rows.most), first_row), stride), column);
    };
    const Row upper(s.first, offset_in(y), across), lower(s.first, offset_in(hn::Add(y, next)), across);
    const auto down = hn::LoadU(d, block.weight[1] + at);
    const auto channel0 = Bytes(Between(upper.channel0, lower.channel0, down));
    const auto channel1 = Bytes(Between(upper.channel1, lower.channel1, down));
    const auto channel2 = Bytes(Between(upper.channel2, lower.channel2, down));
    if (at == i && i + lanes <= end) {
      hn::StoreInterleaved3(channel0, channel1, channel2, bytes, out + 3 * (i - begin));
    } else {
      std::array<uint8_t, size_t{3} * 16> made;
      hn::StoreInterleaved3(channel0, channel1, channel2, bytes, made.data());
      std::copy_n(made.data() + 3 * (i - at), 3 * (end - i), out + 3 * (i - begin));
    }
  }
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(FindTaps);
HWY_EXPORT(MixBytes3);

SampledSpan find_taps(Sampling sampling, int axis, size_t count, SampledBlock& block) {
  // The last vector's places beyond `count` are those of the last position.
  for (size_t i = count; i < SampledBlock::kMost && i % 16 != 0; ++i)
    block.place[axis][i] = block.place[axis][count - 1];
  return HWY_DYNAMIC_DISPATCH(FindTaps)(sampling == Sampling::kLinear, count, block.place[axis], block.low[axis],
                                        block.weight[axis]);
}

void mix_bytes3(const SampledBytes& source, const SampledBlock& block, size_t begin, size_t end, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(MixBytes3)(source, block, begin, end, out);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

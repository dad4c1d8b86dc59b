#include "kernels/resample/lines.h"

#include <algorithm>

#include "core/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resample/lines.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sixteen lanes at most, so that kLinePadding covers two vectors on machines with very long ones.
using Full = hn::CappedTag<float, 16>;
using Single = hn::CappedTag<float, 1>;

size_t vector_lanes() { return hn::Lanes(Full()); }

template <class T, class D>
HWY_INLINE hn::Vec<D> load_float(D d, const T* at) {
  if constexpr (std::is_same_v<T, float>) {
    return hn::LoadU(d, at);
  } else {
    const hn::Rebind<T, D> narrow;
    return hn::ConvertTo(d, hn::PromoteTo(hn::RebindToSigned<D>(), hn::LoadU(narrow, at)));
  }
}

template <class T, int kVectors, class D>
HWY_INLINE void combine_block(D d, const std::byte* const* lines, const float* weights, int taps, size_t at,
                              float* out) {
  const size_t lanes = hn::Lanes(d);
  const auto source = [&](int k) { return reinterpret_cast<const T*>(lines[k]) + at; };
  hn::Vec<D> sum[kVectors];
  const auto first = hn::Set(d, weights[0]);
  for (int v = 0; v < kVectors; ++v) sum[v] = hn::Mul(first, load_float(d, source(0) + v * lanes));
  for (int k = 1; k < taps; ++k) {
    const auto weight = hn::Set(d, weights[k]);
    for (int v = 0; v < kVectors; ++v) sum[v] = hn::MulAdd(weight, load_float(d, source(k) + v * lanes), sum[v]);
  }
  for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, out + at + v * lanes);
}

template <class T>
void combine(const std::byte* const* lines, const float* weights, int taps, size_t n, float* out) {
  const Full d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; at + 4 * lanes <= n; at += 4 * lanes) combine_block<T, 4>(d, lines, weights, taps, at, out);
  for (; at + lanes <= n; at += lanes) combine_block<T, 1>(d, lines, weights, taps, at, out);
  if (at == n) return;
  if (n >= lanes) return combine_block<T, 1>(d, lines, weights, taps, n - lanes, out);  // some elements once more
  for (; at < n; ++at) combine_block<T, 1>(Single(), lines, weights, taps, at, out);
}

// Adding the float just below 1/2 and truncating rounds half away from zero: the sum of a tie rounds up to the integer,
// while the number just below a tie stays below it.
template <class T, class D>
HWY_INLINE void narrow_vector(D d, const float* in, T* out) {
  const auto value = hn::LoadU(d, in);
  if constexpr (std::is_same_v<T, float>) {
    hn::StoreU(value, d, out);
  } else {
    const hn::Rebind<T, D> narrow;
    const auto low = hn::Set(d, static_cast<float>(std::numeric_limits<T>::min()));
    const auto high = hn::Set(d, static_cast<float>(std::numeric_limits<T>::max()));
    const auto half = hn::Set(d, 0x1.fffffep-2f);
    const hn::RebindToSigned<D> integer;
    if constexpr (std::is_unsigned_v<T>) {  // Max turns NaN into 0
      const auto rounded = hn::ConvertTo(integer, hn::Add(hn::Min(hn::Max(value, low), high), half));
      hn::StoreU(hn::TruncateTo(narrow, hn::BitCast(hn::RebindToUnsigned<D>(), rounded)), narrow, out);
    } else {
      const auto number = hn::IfThenElseZero(hn::Eq(value, value), value);
      const auto clamped = hn::Min(hn::Max(number, low), high);
      const auto rounded = hn::ConvertTo(integer, hn::Add(clamped, hn::CopySign(half, clamped)));
      hn::StoreU(hn::DemoteTo(narrow, rounded), narrow, out);
    }
  }
}

template <class T>
void narrow(const float* in, size_t n, std::byte* bytes) {
  T* out = reinterpret_cast<T*>(bytes);
  const Full d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; at + lanes <= n; at += lanes) narrow_vector(d, in + at, out + at);
  if (at == n) return;
  if (n >= lanes) return narrow_vector(d, in + n - lanes, out + n - lanes);
  for (; at < n; ++at) narrow_vector(Single(), in + at, out + at);
}

using Int = hn::RebindToSigned<Full>;

/// The lanes of two vectors, one after the other, that `lanes` counts from 0.
HWY_INLINE hn::Vec<Full> pick(hn::Vec<Full> first, hn::Vec<Full> second, hn::Vec<Int> lanes) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return hn::Vec<Full>{_mm512_permutex2var_ps(first.raw, lanes.raw, second.raw)};  // Highway 1.0 has no name for it
#else
  const Full d;
  const auto last = hn::Set(Int(), static_cast<int32_t>(hn::Lanes(d)) - 1);
  const auto index = hn::IndicesFromVec(d, hn::And(lanes, last));
  const auto from_second = hn::RebindMask(d, hn::Gt(lanes, last));
  return hn::IfThenElse(from_second, hn::TableLookupLanes(second, index), hn::TableLookupLanes(first, index));
#endif
}

template <Gathering kGathering>
void resample_vectors(const Axis& axis, const LineTable& table, const float* in, float* out) {
  const Full d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto channels = static_cast<int32_t>(table.channels);
  const float* weights = table.weights.data();
  const int32_t* indices = table.lanes.data();
  for (const int32_t base : table.base) {
    const float* source = in + base;
    auto index = hn::Load(Int(), indices);
    auto first = hn::LoadU(d, source), second = hn::LoadU(d, source + lanes);
    auto sum = hn::Mul(hn::Load(d, weights), pick(first, second, index));
    for (int k = 1; k < axis.taps; ++k) {
      if constexpr (kGathering == Gathering::kOnce) {
        index = hn::Add(index, hn::Set(Int(), channels));
      } else {
        source += channels;
        first = hn::LoadU(d, source);
        second = hn::LoadU(d, source + lanes);
      }
      weights += lanes;
      sum = hn::MulAdd(hn::Load(d, weights), pick(first, second, index), sum);
    }
    hn::StoreU(sum, d, out);
    weights += lanes;
    indices += lanes;
    out += lanes;
  }
}

// Up to four channels at a time. Surplus lanes spill into the next pixel, which is written later.
void resample_pixels(const Axis& axis, const LineTable& table, const float* in, float* out) {
  const hn::CappedTag<float, 4> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t channels = table.channels;
  for (int64_t x = 0; x < axis.size(); ++x) {
    const float* pixel = in + (axis.first[static_cast<size_t>(x)] - axis.begin) * channels;
    const float* weights = axis.weights_of(x);
    for (int64_t c = 0; c < channels; c += lanes) {
      auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, pixel + c));
      for (int k = 1; k < axis.taps; ++k)
        sum = hn::MulAdd(hn::Set(d, weights[k]), hn::LoadU(d, pixel + k * channels + c), sum);
      hn::StoreU(sum, d, out + x * channels + c);
    }
  }
}

void resample(const Axis& axis, const LineTable& table, const float* in, float* out) {
  switch (table.gathering) {
    case Gathering::kOnce:
      return resample_vectors<Gathering::kOnce>(axis, table, in, out);
    case Gathering::kEachTap:
      return resample_vectors<Gathering::kEachTap>(axis, table, in, out);
    case Gathering::kPixels:
      return resample_pixels(axis, table, in, out);
  }
}

// HWY_EXPORT takes plain names.
void combine_u8(const std::byte* const* lines, const float* weights, int taps, size_t n, float* out) {
  combine<uint8_t>(lines, weights, taps, n, out);
}
void combine_i16(const std::byte* const* lines, const float* weights, int taps, size_t n, float* out) {
  combine<int16_t>(lines, weights, taps, n, out);
}
void combine_u16(const std::byte* const* lines, const float* weights, int taps, size_t n, float* out) {
  combine<uint16_t>(lines, weights, taps, n, out);
}
void combine_f32(const std::byte* const* lines, const float* weights, int taps, size_t n, float* out) {
  combine<float>(lines, weights, taps, n, out);
}
void narrow_u8(const float* in, size_t n, std::byte* out) { narrow<uint8_t>(in, n, out); }
void narrow_i16(const float* in, size_t n, std::byte* out) { narrow<int16_t>(in, n, out); }
void narrow_u16(const float* in, size_t n, std::byte* out) { narrow<uint16_t>(in, n, out); }
void narrow_f32(const float* in, size_t n, std::byte* out) { narrow<float>(in, n, out); }

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(vector_lanes);
HWY_EXPORT(combine_u8);
HWY_EXPORT(combine_i16);
HWY_EXPORT(combine_u16);
HWY_EXPORT(combine_f32);
HWY_EXPORT(narrow_u8);
HWY_EXPORT(narrow_i16);
HWY_EXPORT(narrow_u16);
HWY_EXPORT(narrow_f32);
HWY_EXPORT(resample);

}  // namespace

CombineLines combine_lines(DType in) {
  switch (in) {
    case DType::kUInt8:
      return HWY_DYNAMIC_DISPATCH(combine_u8);
    case DType::kInt16:
      return HWY_DYNAMIC_DISPATCH(combine_i16);
    case DType::kUInt16:
      return HWY_DYNAMIC_DISPATCH(combine_u16);
    case DType::kFloat:
      return HWY_DYNAMIC_DISPATCH(combine_f32);
    default:
      fail<TypeError>("images of type {} cannot be resized; use uint8, int16, uint16 or float", name_of(in));
  }
}

NarrowLine narrow_line(DType out) {
  switch (out) {
    case DType::kUInt8:
      return HWY_DYNAMIC_DISPATCH(narrow_u8);
    case DType::kInt16:
      return HWY_DYNAMIC_DISPATCH(narrow_i16);
    case DType::kUInt16:
      return HWY_DYNAMIC_DISPATCH(narrow_u16);
    case DType::kFloat:
      return HWY_DYNAMIC_DISPATCH(narrow_f32);
    default:
      fail<TypeError>("resizing cannot give type {}; use uint8, int16, uint16 or float", name_of(out));
  }
}

void LineTable::assign(const Axis& axis, int64_t channel_count) {
  channels = channel_count;
  const size_t width = HWY_DYNAMIC_DISPATCH(vector_lanes)();
  const auto pixels = static_cast<size_t>(axis.size()), depth = static_cast<size_t>(channels);
  const auto taps = static_cast<size_t>(axis.taps);
  base.resize((pixels * depth + width - 1) / width);
  lanes.resize(base.size() * width);
  int32_t* lane = lanes.data();
  for (const int32_t first : axis.first) {
    const auto pixel = static_cast<int32_t>((first - axis.begin) * channels);
    for (int32_t c = 0; c < static_cast<int32_t>(depth); ++c) *lane++ = pixel + c;
  }
  if (pixels > 0) std::fill(lane, lanes.data() + base.size() * width, lane[-1]);
  gathering = rebase(width, axis.taps);
  if (gathering == Gathering::kPixels) return;
  weights.resize(base.size() * width * taps);
  float* vector = weights.data();
  for (size_t x = 0, at = 0; x < pixels; ++x) {
    const float* of_pixel = axis.weights.data() + x * taps;
    for (size_t c = 0; c < depth; ++c) {
      for (size_t k = 0; k < taps; ++k) vector[k * width + at] = of_pixel[k];
      if (++at == width) at = 0, vector += width * taps;
    }
  }
}

/// Splits the source elements in `lanes` into the vectors' bases and what remains.
Gathering LineTable::rebase(size_t width, int64_t taps) {
  int64_t longest = 0;
  for (size_t v = 0; v < base.size(); ++v) {
    int32_t* lane = lanes.data() + v * width;
    int32_t low = lane[0], high = lane[0];
    for (size_t i = 1; i < width; ++i) low = std::min(low, lane[i]), high = std::max(high, lane[i]);
    for (size_t i = 0; i < width; ++i) lane[i] -= low;
    base[v] = low;
    longest = std::max<int64_t>(longest, high - low);
  }
  const auto room = static_cast<int64_t>(2 * width);
  if (longest + (taps - 1) * channels < room) return Gathering::kOnce;
  return longest < room ? Gathering::kEachTap : Gathering::kPixels;
}

void resample_line(const Axis& axis, const LineTable& table, const float* in, float* out) {
  HWY_DYNAMIC_DISPATCH(resample)(axis, table, in, out);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

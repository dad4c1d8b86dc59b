#include "kernels/debayer/debayer.h"

#include <algorithm>
#include <cstddef>

#include "core/dispatch.h"
#include "kernels/debayer/vng.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/debayer/debayer.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// An element and its neighbours, for elements along a row.
template <class D>
struct Neighbours {
  template <class T>
  HWY_INLINE Neighbours(D wide, const T* at, int64_t step) {
    const hn::Rebind<T, D> narrow;
    const auto load = [&](int64_t offset) HWY_ATTR { return hn::PromoteTo(wide, hn::LoadU(narrow, at + offset)); };
    seen = load(0), left = load(-1), right = load(1), up = load(-step), down = load(step);
    beside = hn::Add(left, right), above = hn::Add(up, down);
    corners = hn::Add(hn::Add(load(-step - 1), load(-step + 1)), hn::Add(load(step - 1), load(step + 1)));
  }
  hn::Vec<D> seen, left, right, up, down;
  hn::Vec<D> beside, above, corners;  // sums
};

template <class V>
HWY_INLINE V apart(V a, V b) {
  return hn::Sub(hn::Max(a, b), hn::Min(a, b));
}

/// The colours at neighbours along a row, as debayer_element() has them. `green` says which of them see green.
template <bool kEdgeAware, class D, class T>
HWY_INLINE void colours(D wide, const T* at, int64_t step, bool blue_row, hn::Mask<D> green, T* out) {
  const hn::Rebind<T, D> narrow;
  const Neighbours<D> n(wide, at, step);
  const auto one = hn::Set(wide, 1), two = hn::Set(wide, 2);
  const auto seen = n.seen;
  const auto beside = hn::ShiftRight<1>(hn::Add(n.beside, one)), above = hn::ShiftRight<1>(hn::Add(n.above, one));
  const auto crossing = hn::ShiftRight<2>(hn::Add(n.corners, two));
  auto around = hn::ShiftRight<2>(hn::Add(hn::Add(n.beside, n.above), two));
  if constexpr (kEdgeAware) around = hn::IfThenElse(hn::Gt(apart(n.left, n.right), apart(n.up, n.down)), above, beside);
  const auto own = hn::IfThenElse(green, beside, seen);
  const auto other = hn::IfThenElse(green, above, crossing);
  const auto red = hn::TruncateTo(narrow, blue_row ? other : own),
             blue = hn::TruncateTo(narrow, blue_row ? own : other);
  hn::StoreInterleaved3(red, hn::TruncateTo(narrow, hn::IfThenElse(green, seen, around)), blue, narrow, out);
}

/// The brightness there, as debayer_gray() has it.
template <class D, class T>
HWY_INLINE void brightness(D wide, const T* at, int64_t step, bool blue_row, hn::Mask<D> green, T* out) {
  const Neighbours<D> n(wide, at, step);
  const auto in_row = hn::Set(wide, blue_row ? kBlueShare : kRedShare);
  const auto in_others = hn::Set(wide, blue_row ? kRedShare : kBlueShare);
  const auto of_green = hn::Set(wide, kGreenShare);
  const auto own = hn::ShiftLeft<2>(n.seen);
  const auto at_green = hn::Add(hn::Mul(own, of_green), hn::Add(hn::Mul(hn::ShiftLeft<1>(n.beside), in_row),
                                                                hn::Mul(hn::ShiftLeft<1>(n.above), in_others)));
  const auto elsewhere = hn::Add(hn::Mul(own, in_row),
                                 hn::Add(hn::Mul(hn::Add(n.beside, n.above), of_green), hn::Mul(n.corners, in_others)));
  const auto sum = hn::Add(hn::IfThenElse(green, at_green, elsewhere), hn::Set(wide, 1U << (kGrayBits - 1)));
  const hn::Rebind<T, D> narrow;
  hn::StoreU(hn::TruncateTo(narrow, hn::ShiftRight<kGrayBits>(sum)), narrow, out);
}

/// A row whose columns [1, columns - 1) are made.
template <class T>
struct SensorRow {
  const T* at;
  int64_t columns;
  bool blue_row, first_is_green;
  T* out;
};

/// Calls make(place, which see green, out) for vectors of a row. @return false where it is shorter than a vector
template <int kChannels, class D, class T, class Make>
HWY_INLINE bool along_row(D d, const SensorRow<T>& row, const Make& make) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (row.columns - 2 < lanes) return false;
  const auto odd = hn::Eq(hn::And(hn::Iota(d, 0), hn::Set(d, 1)), hn::Set(d, 1));
  const auto one = [&](int64_t x) HWY_ATTR {
    make(row.at + x, ((x & 1) == 1) == row.first_is_green ? hn::Not(odd) : odd, row.out + kChannels * x);
  };
  int64_t x = 1;
  for (; x + lanes < row.columns; x += lanes) one(x);
  if (x < row.columns - 1) one(row.columns - 1 - lanes);  // some elements once more
  return true;
}

template <class T, class Wide>
bool make_row(const SensorRow<T>& row, DebayerMethod method) {
  if (method == DebayerMethod::kGray) {
    const hn::ScalableTag<uint32_t> d;
    return along_row<1>(d, row, [&](const T* at, auto green, T* out) HWY_ATTR {
      brightness(d, at, row.columns, row.blue_row, green, out);
    });
  }
  const hn::ScalableTag<Wide> d;
  if (method == DebayerMethod::kEdgeAware)
    return along_row<3>(d, row, [&](const T* at, auto green, T* out) HWY_ATTR {
      colours<true>(d, at, row.columns, row.blue_row, green, out);
    });
  return along_row<3>(d, row, [&](const T* at, auto green, T* out) HWY_ATTR {
    colours<false>(d, at, row.columns, row.blue_row, green, out);
  });
}

// HWY_EXPORT takes plain names.
bool make_bytes(const uint8_t* at, int64_t columns, bool blue_row, bool first_is_green, DebayerMethod method,
                uint8_t* out) {
  return make_row<uint8_t, uint16_t>({at, columns, blue_row, first_is_green, out}, method);
}
bool make_words(const uint16_t* at, int64_t columns, bool blue_row, bool first_is_green, DebayerMethod method,
                uint16_t* out) {
  return make_row<uint16_t, uint32_t>({at, columns, blue_row, first_is_green, out}, method);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(make_bytes);
HWY_EXPORT(make_words);

template <class T>
bool by_vectors(const T* row, const DebayerJob& job, bool blue_row, T* out) {
  const bool first_is_green = blue_row != (job.blue_column == 1);
  if constexpr (sizeof(T) == 1)
    return HWY_DYNAMIC_DISPATCH(make_bytes)(row, job.columns, blue_row, first_is_green, job.method, out);
  else
    return HWY_DYNAMIC_DISPATCH(make_words)(row, job.columns, blue_row, first_is_green, job.method, out);
}

template <class T>
void by_elements(const T* row, const DebayerJob& job, bool blue_row, T* out) {
  for (int64_t x = 1; x + 1 < job.columns; ++x)
    debayer_pixel(job, row + x, blue_row, (x & 1) == job.blue_column, out + job.channels() * x);
}

template <class T>
void debayer_all(const DebayerJob& job) {
  const int64_t columns = job.columns, rows = job.rows, channels = job.channels();
  for (int64_t picture = 0; picture < job.pictures; ++picture) {
    const T* in = static_cast<const T*>(job.in) + picture * rows * columns;
    T* const out = static_cast<T*>(job.out) + picture * rows * columns * channels;
    for (int64_t y = 1; y + 1 < rows; ++y) {
      const T* const row = in + y * columns;
      T* const to = out + y * columns * channels;
      const bool blue_row = (y & 1) == job.blue_row;
      if (!by_vectors(row, job, blue_row, to)) by_elements(row, job, blue_row, to);
      std::copy_n(to + channels, channels, to);
      std::copy_n(to + channels * (columns - 2), channels, to + channels * (columns - 1));
    }
    std::copy_n(out + columns * channels, columns * channels, out);
    std::copy_n(out + (rows - 2) * columns * channels, columns * channels, out + (rows - 1) * columns * channels);
  }
}

}  // namespace

void debayer(const DebayerJob& job, DType dtype) {
  if (job.method == DebayerMethod::kVng) return dispatch_among<uint8_t>(dtype, [&](Tag<uint8_t>) { vng(job); });
  dispatch_among<uint8_t, uint16_t>(dtype, [&]<class T>(Tag<T>) { debayer_all<T>(job); });
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

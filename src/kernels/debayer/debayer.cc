#include "kernels/debayer/debayer.h"

#include <algorithm>
#include <cstddef>

#include "core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/debayer/debayer.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The colours at neighbours along a row, as debayer_element() has them. `green` says which of them see green.
template <class D, class T>
HWY_INLINE void colours(D wide, const T* at, int64_t step, bool blue_row, hn::Mask<D> green, T* out) {
  const hn::Rebind<T, D> narrow;
  const auto load = [&](int64_t offset) HWY_ATTR { return hn::PromoteTo(wide, hn::LoadU(narrow, at + offset)); };
  const auto one = hn::Set(wide, 1), two = hn::Set(wide, 2);
  const auto beside = hn::Add(load(-1), load(1)), above = hn::Add(load(-step), load(step));
  const auto corners = hn::Add(hn::Add(load(-step - 1), load(-step + 1)), hn::Add(load(step - 1), load(step + 1)));
  const auto seen = load(0);
  const auto crossing = hn::ShiftRight<2>(hn::Add(corners, two));
  const auto around = hn::ShiftRight<2>(hn::Add(hn::Add(beside, above), two));
  const auto own = hn::IfThenElse(green, hn::ShiftRight<1>(hn::Add(beside, one)), seen);
  const auto other = hn::IfThenElse(green, hn::ShiftRight<1>(hn::Add(above, one)), crossing);
  const auto red = hn::TruncateTo(narrow, blue_row ? other : own),
             blue = hn::TruncateTo(narrow, blue_row ? own : other);
  hn::StoreInterleaved3(red, hn::TruncateTo(narrow, hn::IfThenElse(green, seen, around)), blue, narrow, out);
}

/// Columns [1, columns - 1) of a row. @return false where there are fewer than a vector holds
template <class T, class Wide>
bool colour_row(const T* row, int64_t columns, bool blue_row, bool first_is_green, T* out) {
  const hn::ScalableTag<Wide> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (columns - 2 < lanes) return false;
  const auto odd = hn::Eq(hn::And(hn::Iota(d, 0), hn::Set(d, 1)), hn::Set(d, 1));
  const auto green_at = [&](int64_t x) HWY_ATTR { return ((x & 1) == 1) == first_is_green ? hn::Not(odd) : odd; };
  int64_t x = 1;
  for (; x + lanes < columns; x += lanes) colours(d, row + x, columns, blue_row, green_at(x), out + 3 * x);
  if (x == columns - 1) return true;
  x = columns - 1 - lanes;  // some elements once more
  colours(d, row + x, columns, blue_row, green_at(x), out + 3 * x);
  return true;
}

// HWY_EXPORT takes plain names.
bool colour_bytes(const uint8_t* row, int64_t columns, bool blue_row, bool first_is_green, uint8_t* out) {
  return colour_row<uint8_t, uint16_t>(row, columns, blue_row, first_is_green, out);
}
bool colour_words(const uint16_t* row, int64_t columns, bool blue_row, bool first_is_green, uint16_t* out) {
  return colour_row<uint16_t, uint32_t>(row, columns, blue_row, first_is_green, out);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(colour_bytes);
HWY_EXPORT(colour_words);

bool by_vectors(const uint8_t* row, int64_t columns, bool blue_row, bool first_is_green, uint8_t* out) {
  return HWY_DYNAMIC_DISPATCH(colour_bytes)(row, columns, blue_row, first_is_green, out);
}
bool by_vectors(const uint16_t* row, int64_t columns, bool blue_row, bool first_is_green, uint16_t* out) {
  return HWY_DYNAMIC_DISPATCH(colour_words)(row, columns, blue_row, first_is_green, out);
}

template <class T>
void debayer_all(const DebayerJob& job) {
  const int64_t columns = job.columns, rows = job.rows;
  for (int64_t picture = 0; picture < job.pictures; ++picture) {
    const T* in = static_cast<const T*>(job.in) + picture * rows * columns;
    T* const out = static_cast<T*>(job.out) + picture * rows * columns * 3;
    for (int64_t y = 1; y + 1 < rows; ++y) {
      const T* const row = in + y * columns;
      T* const to = out + y * columns * 3;
      const bool blue_row = (y & 1) == job.blue_row;
      if (!by_vectors(row, columns, blue_row, blue_row != (job.blue_column == 1), to))
        for (int64_t x = 1; x + 1 < columns; ++x)
          debayer_element<T>(row + x, columns, blue_row, (x & 1) == job.blue_column, to + 3 * x);
      std::copy_n(to + 3, 3, to);
      std::copy_n(to + 3 * (columns - 2), 3, to + 3 * (columns - 1));
    }
    std::copy_n(out + columns * 3, columns * 3, out);
    std::copy_n(out + (rows - 2) * columns * 3, columns * 3, out + (rows - 1) * columns * 3);
  }
}

}  // namespace

void debayer(const DebayerJob& job, DType dtype) {
  dispatch_among<uint8_t, uint16_t>(dtype, [&]<class T>(Tag<T>) { debayer_all<T>(job); });
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

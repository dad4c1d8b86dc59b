#include "kernels/debayer/vng.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/debayer/vng.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
bool vng_row(const uint8_t* const*, int64_t, int64_t, bool, uint8_t*) { return false; }
#else
namespace hn = hwy::HWY_NAMESPACE;

#include "kernels/debayer/vng_body.h"

/// Every other element of a row from x + kFirst on, with those around each.
template <class D, int kFirst>
struct VngVectors {
  using V = hn::Vec<D>;
  D d;
  const uint8_t* const* rows;  ///< five
  int64_t x;

  /// Two elements at a time are loaded as one number; those asked for are its lower or its upper half.
  HWY_INLINE V at(int row, int column) const {
    const hn::RebindToUnsigned<D> pairs;
    const hn::Repartition<uint8_t, D> bytes;
    const int offset = kFirst + column, upper = offset & 1;
    const auto loaded = hn::BitCast(pairs, hn::LoadU(bytes, rows[row + 2] + x + (offset - upper)));
    return hn::BitCast(d, upper ? hn::ShiftRight<8>(loaded) : hn::And(loaded, hn::Set(pairs, 255)));
  }
  HWY_INLINE V number(int a) const { return hn::Set(d, static_cast<int16_t>(a)); }
  HWY_INLINE V add(V a, V b) const { return hn::Add(a, b); }
  HWY_INLINE V sub(V a, V b) const { return hn::Sub(a, b); }
  HWY_INLINE V min(V a, V b) const { return hn::Min(a, b); }
  HWY_INLINE V max(V a, V b) const { return hn::Max(a, b); }
  HWY_INLINE V apart(V a, V b) const { return hn::Abs(hn::Sub(a, b)); }
  HWY_INLINE V half(V a) const { return hn::ShiftRight<1>(a); }
  HWY_INLINE V below(V a, V b) const { return hn::VecFromMask(d, hn::Lt(a, b)); }
  HWY_INLINE V both(V a, V b) const { return hn::And(a, b); }
  HWY_INLINE V half_mean(V sum, V count) const {
    const hn::RepartitionToWide<D> wide;
    const hn::RebindToFloat<decltype(wide)> reals;
    const auto real = [&](V a, bool upper) HWY_ATTR {  // of each two numbers one
      const auto pairs = hn::BitCast(wide, a);
      return hn::ConvertTo(reals, hn::ShiftRight<16>(upper ? pairs : hn::ShiftLeft<16>(pairs)));
    };
    const auto mean = [&](bool upper) HWY_ATTR {
      return hn::NearestInt(hn::Mul(real(sum, upper), hn::Div(hn::Set(reals, 0.5F), real(count, upper))));
    };
    const auto lower = hn::And(mean(false), hn::Set(wide, 0xFFFF));
    return hn::BitCast(d, hn::Or(lower, hn::ShiftLeft<16>(mean(true))));
  }
};

/// The colours of two vectors of elements from x on, the first of which does not see green.
template <class D>
HWY_INLINE void vng_colours(D d, const uint8_t* const* rows, int64_t x, bool blue_row, uint8_t* out) {
  const VngVectors<D, 0> coloured{d, rows, x};
  const VngVectors<D, 1> greens{d, rows, x};
  Vng<false, VngVectors<D, 0> > at_coloured{coloured};
  at_coloured.find();
  Vng<true, VngVectors<D, 1> > at_greens{greens};
  at_greens.find();
  const hn::Repartition<uint8_t, D> bytes;
  const auto both = [&](auto even, auto odd)
                        HWY_ATTR { return hn::BitCast(bytes, hn::Or(even, hn::ShiftLeft<8>(odd))); };
  const auto in_row = both(coloured.at(0, 0), at_greens.first), other = both(at_coloured.second, at_greens.second);
  const auto green = both(at_coloured.first, greens.at(0, 0));
  hn::StoreInterleaved3(blue_row ? other : in_row, green, blue_row ? in_row : other, bytes, out);
}

/// Makes columns [begin, end) of a row. @return false where they are fewer than two vectors
bool vng_row(const uint8_t* const* rows, int64_t begin, int64_t end, bool blue_row, uint8_t* out) {
  const hn::ScalableTag<int16_t> d;
  const int64_t step = 2 * static_cast<int64_t>(hn::Lanes(d));
  if (end - begin < step) return false;
  for (int64_t x = begin; x < end; x += step) {
    const int64_t at = std::min(x, end - step);  // some elements once more
    vng_colours(d, rows, at, blue_row, out + 3 * at);
  }
  return true;
}

#endif  // HWY_SCALAR
}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(vng_row);

/// One row: vectors where no column beside theirs lies outside, single elements in the rest.
void one_row(const DebayerJob& job, const uint8_t* sensor, int32_t y, uint8_t* out) {
  const bool blue_row = (y & 1) == job.blue_row;
  const EightsOfRow eights(job.columns, blue_row != (job.blue_column == 0));
  const uint8_t* rows[5];
  for (int32_t i = 0; i < 5; ++i)
    rows[i] = sensor + int64_t{job.columns} * border_index(Border::kReflect101, y + i - 2, job.rows);
  const int32_t begin = eights.begin + 2,
                end = std::min(eights.end, eights.begin + (job.columns - 2 - eights.begin) / 2 * 2);
  const bool done = HWY_DYNAMIC_DISPATCH(vng_row)(rows, begin, end, blue_row, out);
  for (int32_t x = 0; x < job.columns; ++x) {
    if (done && x == begin) x = end;
    vng_pixel(job, sensor, y, x, out + int64_t{3} * x);
  }
}

}  // namespace

void vng(const DebayerJob& job) {
  const int64_t size = int64_t{job.rows} * job.columns;
  for (int64_t picture = 0; picture < job.pictures; ++picture)
    for (int32_t y = 0; y < job.rows; ++y) {
      const uint8_t* const sensor = static_cast<const uint8_t*>(job.in) + picture * size;
      one_row(job, sensor, y, static_cast<uint8_t*>(job.out) + 3 * (picture * size + int64_t{y} * job.columns));
    }
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

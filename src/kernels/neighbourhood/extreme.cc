#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/dispatch.h"
#include "kernels/neighbourhood/padded_rows.h"
#include "kernels/neighbourhood/rank.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/neighbourhood/extreme.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kGreatest, class D>
HWY_INLINE void pick_block(D d, const hn::TFromD<D>* a, const hn::TFromD<D>* b, hn::TFromD<D>* to) {
  const auto x = hn::LoadU(d, a), y = hn::LoadU(d, b);
  hn::StoreU(kGreatest ? hn::Max(x, y) : hn::Min(x, y), d, to);
}

template <bool kGreatest, class T>
void pick(const T* a, const T* b, size_t n, T* to) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) pick_block<kGreatest>(d, a + i, b + i, to + i);
  if (i == n) return;
  if (n >= lanes) return pick_block<kGreatest>(d, a + n - lanes, b + n - lanes, to + n - lanes);
  for (; i < n; ++i) pick_block<kGreatest>(hn::CappedTag<T, 1>(), a + i, b + i, to + i);
}

// HWY_EXPORT takes plain names.
#define PENSTOCK_PICKS(name, T)                                                              \
  void greatest_##name(const T* a, const T* b, size_t n, T* to) { pick<true>(a, b, n, to); } \
  void least_##name(const T* a, const T* b, size_t n, T* to) { pick<false>(a, b, n, to); }
PENSTOCK_PICKS(u8, uint8_t)
PENSTOCK_PICKS(i16, int16_t)
PENSTOCK_PICKS(u16, uint16_t)
PENSTOCK_PICKS(i32, int32_t)
PENSTOCK_PICKS(f32, float)
#undef PENSTOCK_PICKS

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

/// to[i] = the greater (or the less) of a[i] and b[i]; `to` is none of them.
template <class T>
using PickLines = void (*)(const T* a, const T* b, size_t n, T* to);

#define PENSTOCK_PICKS(name, T)                                                                   \
  HWY_EXPORT(greatest_##name);                                                                    \
  HWY_EXPORT(least_##name);                                                                       \
  PickLines<T> pick_lines(T, bool greatest) {                                                     \
    return greatest ? HWY_DYNAMIC_DISPATCH(greatest_##name) : HWY_DYNAMIC_DISPATCH(least_##name); \
  }
PENSTOCK_PICKS(u8, uint8_t)
PENSTOCK_PICKS(i16, int16_t)
PENSTOCK_PICKS(u16, uint16_t)
PENSTOCK_PICKS(i32, int32_t)
PENSTOCK_PICKS(f32, float)
#undef PENSTOCK_PICKS

/// What the window covers is a rectangle: first the rows become one, then its neighbours along the row, of which each
/// step covers twice as many as the one before.
template <class T>
void extreme_of(const WindowAxes& axes, int64_t channels, Border border, bool greatest, DType dtype,
                const std::byte* in, T* out) {
  const auto& [az, ay, ax] = axes;
  const auto step = static_cast<size_t>(channels), size = static_cast<size_t>(ax.reach()) * step;
  const auto made = static_cast<size_t>(ax.wanted) * step;
  const PickLines<T> pick = pick_lines(T{}, greatest);
  PaddedRows<T> rows;
  constexpr T kLeast = std::numeric_limits<T>::lowest(), kMost = std::numeric_limits<T>::max();
  rows.begin(axes, channels, border, greatest ? kLeast : kMost, dtype, 0);
  rows.read(in);
  std::vector<T> one(size), other(size);
  for (int32_t y = 0; y < ay.wanted; ++y, out += made) {
    const T* line = rows.row(0, ay.first() + y);
    T *to = one.data(), *free = other.data();
    for (int32_t j = 1; j < ay.taps; ++j) {
      pick(line, rows.row(0, ay.first() + y + j), size, to);
      line = to;
      std::swap(to, free);
    }
    size_t covered = 1;
    const auto wanted = static_cast<size_t>(ax.taps);
    for (; 2 * covered <= wanted; covered *= 2) {
      pick(line, line + covered * step, size - (2 * covered - 1) * step, to);
      line = to;
      std::swap(to, free);
    }
    pick(line, line + (wanted - covered) * step, made, out);
  }
}

}  // namespace

void extreme(const WindowAxes& axes, int64_t channels, Border border, bool greatest, DType dtype, const std::byte* in,
             std::byte* out) {
  dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float>(dtype, [&]<class T>(Tag<T>) {
    extreme_of(axes, channels, border, greatest, dtype, in, reinterpret_cast<T*>(out));
  });
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

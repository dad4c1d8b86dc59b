#include <algorithm>
#include <vector>

#include "core/dispatch.h"
#include "kernels/neighbourhood/middle.h"
#include "kernels/neighbourhood/padded_rows.h"
#include "kernels/neighbourhood/rank.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/neighbourhood/median.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <int kTaps, class D>
HWY_INLINE void middle_block(D d, const hn::TFromD<D>* const* taps, size_t at, hn::TFromD<D>* out) {
  hn::Vec<D> set[kTaps / 2 + 2];
  const auto load = [&](hn::Vec<D>& to, int i) HWY_ATTR { to = hn::LoadU(d, taps[i] + at); };
  const auto sort = [](hn::Vec<D>& a, hn::Vec<D>& b) HWY_ATTR {
    const auto low = hn::Min(a, b);
    b = hn::Max(a, b);
    a = low;
  };
  middle_of<kTaps, kTaps / 2 + 2>(set, load, sort);
  hn::StoreU(set[1], d, out + at);
}

template <int kTaps, class T>
void middles(const T* const* taps, size_t n, T* out) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; at + lanes <= n; at += lanes) middle_block<kTaps>(d, taps, at, out);
  if (at == n) return;
  if (n >= lanes) return middle_block<kTaps>(d, taps, n - lanes, out);  // some elements once more
  for (; at < n; ++at) middle_block<kTaps>(hn::CappedTag<T, 1>(), taps, at, out);
}

template <class T>
void middle_line(const T* const* taps, int count, size_t n, T* out) {
  count == 9 ? middles<9>(taps, n, out) : middles<25>(taps, n, out);
}

// HWY_EXPORT takes plain names.
void middle_u8(const uint8_t* const* taps, int count, size_t n, uint8_t* out) { middle_line(taps, count, n, out); }
void middle_i16(const int16_t* const* taps, int count, size_t n, int16_t* out) { middle_line(taps, count, n, out); }
void middle_u16(const uint16_t* const* taps, int count, size_t n, uint16_t* out) { middle_line(taps, count, n, out); }
void middle_i32(const int32_t* const* taps, int count, size_t n, int32_t* out) { middle_line(taps, count, n, out); }
void middle_f32(const float* const* taps, int count, size_t n, float* out) { middle_line(taps, count, n, out); }

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(middle_u8);
HWY_EXPORT(middle_i16);
HWY_EXPORT(middle_u16);
HWY_EXPORT(middle_i32);
HWY_EXPORT(middle_f32);

void by_vectors(const uint8_t* const* taps, int count, size_t n, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(middle_u8)(taps, count, n, out);
}
void by_vectors(const int16_t* const* taps, int count, size_t n, int16_t* out) {
  HWY_DYNAMIC_DISPATCH(middle_i16)(taps, count, n, out);
}
void by_vectors(const uint16_t* const* taps, int count, size_t n, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(middle_u16)(taps, count, n, out);
}
void by_vectors(const int32_t* const* taps, int count, size_t n, int32_t* out) {
  HWY_DYNAMIC_DISPATCH(middle_i32)(taps, count, n, out);
}
void by_vectors(const float* const* taps, int count, size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(middle_f32)(taps, count, n, out);
}

/// Counts of the levels under a window, with the middle one, which moves little from window to window (Huang, Yang and
/// Tang, A fast two-dimensional median filtering algorithm, 1979).
class Levels {
 public:
  explicit Levels(int32_t elements) : rank_(elements / 2) {}
  void add(uint8_t level) {
    ++counts_[level];
    below_ += level < middle_;
  }
  void remove(uint8_t level) {
    --counts_[level];
    below_ -= level < middle_;
  }
  uint8_t middle() {
    while (below_ > rank_) below_ -= counts_[--middle_];
    while (below_ + counts_[middle_] <= rank_) below_ += counts_[middle_++];
    return static_cast<uint8_t>(middle_);
  }

 private:
  int32_t counts_[256] = {};
  int32_t rank_, below_ = 0, middle_ = 0;
};

/// One line of a channel. @param rows  those that the window covers
void slide(const std::vector<const uint8_t*>& rows, int32_t width, int64_t channels, int32_t made, uint8_t* out) {
  Levels levels(static_cast<int32_t>(rows.size()) * width);
  for (int32_t i = 0; i < width - 1; ++i)
    for (const uint8_t* row : rows) levels.add(row[i * channels]);
  for (int32_t x = 0; x < made; ++x) {
    for (const uint8_t* row : rows) levels.add(row[(x + width - 1) * channels]);
    out[x * channels] = levels.middle();
    for (const uint8_t* row : rows) levels.remove(row[x * channels]);
  }
}

template <class T>
void slide(const std::vector<const T*>& rows, int32_t width, int64_t channels, int32_t made, T* out) {
  std::vector<T> window(rows.size() * static_cast<size_t>(width));
  for (int32_t x = 0; x < made; ++x) {
    size_t count = 0;
    for (const T* row : rows)
      for (int32_t i = 0; i < width; ++i) window[count++] = row[(x + i) * channels];
    const auto middle = window.begin() + static_cast<ptrdiff_t>(count / 2);
    std::nth_element(window.begin(), middle, window.end());
    out[x * channels] = *middle;
  }
}

template <class T>
void median_of(const WindowAxes& axes, int64_t channels, Border border, DType dtype, const std::byte* in, T* out) {
  const auto& [az, ay, ax] = axes;
  const auto made = static_cast<size_t>(ax.wanted * channels);
  PaddedRows<T> padded;
  padded.begin(axes, channels, border, T{}, dtype, 0);
  padded.read(in);
  std::vector<const T*> rows(static_cast<size_t>(ay.taps));
  std::vector<const T*> taps(rows.size() * static_cast<size_t>(ax.taps));
  const bool few = taps.size() == 9 || taps.size() == 25;
  for (int32_t y = 0; y < ay.wanted; ++y, out += made) {
    for (size_t j = 0; j < rows.size(); ++j) rows[j] = padded.row(0, ay.first() + y + static_cast<int32_t>(j));
    if (few) {
      size_t tap = 0;
      for (const T* row : rows)
        for (int32_t i = 0; i < ax.taps; ++i) taps[tap++] = row + i * channels;
      by_vectors(taps.data(), static_cast<int>(tap), made, out);
      continue;
    }
    for (int64_t c = 0; c < channels; ++c) {
      slide(rows, ax.taps, channels, ax.wanted, out + c);
      for (const T*& row : rows) ++row;
    }
  }
}

}  // namespace

void median(const WindowAxes& axes, int64_t channels, Border border, DType dtype, const std::byte* in, std::byte* out) {
  dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float>(
      dtype, [&]<class T>(Tag<T>) { median_of(axes, channels, border, dtype, in, reinterpret_cast<T*>(out)); });
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

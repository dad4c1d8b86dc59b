// Rows of a picture with its border around them, as a window moves down: each source row is converted and padded once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <penstock/dtype.h>

#include "kernels/convert/convert.h"
#include "kernels/neighbourhood/window.h"
#include "kernels/resample/lines.h"

namespace penstock::kernels {

/// Keeps its memory from picture to picture.
template <class T>
class PaddedRows {
 public:
  /// @param spare  elements behind each row that may be read and written, whatever they hold
  void begin(const WindowAxes& axes, int64_t channels, Border border, T fill, DType in, size_t spare) {
    axes_ = axes, channels_ = channels, border_ = border, fill_ = fill, in_ = in;
    // Pictures need the rows that a window covers, volumes all rows of its planes: they come to them again.
    rows_ = axes[0].taps == 1 ? axes[1].taps : axes[1].reach();
    row_size_ = static_cast<size_t>(axes[2].reach() * channels) + spare;
    const bool fast = in == DType::kUInt8 || in == DType::kInt16 || in == DType::kUInt16;
    widen_ = dtype_of<T> == DType::kFloat && fast ? combine_lines(in) : nullptr;
    keys_.resize(static_cast<size_t>(axes[0].taps) * static_cast<size_t>(rows_));
    memory_.resize(keys_.size() * row_size_);
  }
  /// From now on rows are those of this picture or volume.
  void read(const std::byte* in) {
    data_ = in;
    std::fill(keys_.begin(), keys_.end(), Key{});
  }
  /// The row that stands at (z, y), from element axes[2].first() on. Holds until the window moves on.
  const T* row(int64_t z, int64_t y) {
    const int64_t plane = z - axes_[0].first(), line = y - axes_[1].first();
    const auto slot = static_cast<size_t>(plane % axes_[0].taps * rows_ + line % rows_);
    T* row = memory_.data() + slot * row_size_;
    if (keys_[slot] != Key{z, y, true}) {
      keys_[slot] = {z, y, true};
      make(axes_[0].source(border_, static_cast<int32_t>(z)), axes_[1].source(border_, static_cast<int32_t>(y)), row);
    }
    return row;
  }

 private:
  struct Key {
    int64_t z = 0, y = 0;
    bool there = false;
    friend bool operator==(const Key&, const Key&) = default;
  };

  void make(int64_t z, int64_t y, T* to) const {
    const WindowAxis& x = axes_[2];
    if (z < 0 || y < 0) {
      std::fill_n(to, x.reach() * channels_, fill_);
      return;
    }
    const std::byte* row = data_ + (z * axes_[1].held + y) * x.held * channels_ * static_cast<int64_t>(size_of(in_));
    const int32_t end = x.first() + x.reach(), held_end = x.held_begin + x.held;
    for (int32_t i = x.first(); i < end;) {
      if (i >= x.held_begin && i < held_end) {
        const int64_t count = (std::min(end, held_end) - i) * channels_;
        copy(row, (i - x.held_begin) * channels_, count, to);
        to += count, i = std::min(end, held_end);
        continue;
      }
      if (const int64_t source = x.source(border_, i); source >= 0)
        copy(row, source * channels_, channels_, to);
      else
        std::fill_n(to, channels_, fill_);
      to += channels_, ++i;
    }
  }
  void copy(const std::byte* row, int64_t first, int64_t count, T* to) const {
    const std::byte* from = row + first * static_cast<int64_t>(size_of(in_));
    if (in_ == dtype_of<T>)
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    else if (widen_)
      widen_(&from, &kSame, 1, static_cast<size_t>(count), reinterpret_cast<float*>(to));
    else
      convert(in_, from, dtype_of<T>, reinterpret_cast<std::byte*>(to), count);
  }

  static constexpr float kSame = 1;  // a weight

  WindowAxes axes_;
  int64_t channels_ = 1, rows_ = 1;
  Border border_ = Border::kConstant;
  T fill_{};
  DType in_ = dtype_of<T>;
  CombineLines widen_ = nullptr;  // vectors do it, where there are such
  size_t row_size_ = 0;
  const std::byte* data_ = nullptr;
  std::vector<Key> keys_;
  std::vector<T> memory_;
};

}  // namespace penstock::kernels

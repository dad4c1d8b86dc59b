// Four neighbours of a line at a time, for strips: bytes as a word.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/support/strips.cuh"
#include "cuda/support/threads.cuh"
#include "kernels/neighbourhood/job.h"

namespace penstock::cuda {

template <class T>
struct Quad {
  T at[kStripColumns];
};
template <>
struct Quad<uint8_t> {
  uint32_t word;
};

/// Four times the same.
template <class T>
__device__ Quad<T> filled(T value) {
  if constexpr (std::is_same_v<T, uint8_t>)
    return {value * 0x01010101u};
  else
    return {value, value, value, value};
}

/// Windows of any extents.
struct AnyWindow {
  static constexpr bool kFixed = false;
  int32_t height, width;
};
/// Windows whose extents the compiler knows, over bytes.
template <int kHeight, int kWidth, int kChannels>
struct FixedWindow {
  static constexpr bool kFixed = true;
  static constexpr int height = kHeight, width = kWidth, channels = kChannels;
};

/// Calls fn(window) with the windows of a job of elements T: fixed ones where those are frequent.
template <class T, Beyond kBeyond, class Fn>
__device__ void with_window(const kernels::NeighbourhoodJob& job, Fn&& fn) {
  const int32_t height = job.axes[1].taps, width = job.axes[2].taps;
  if constexpr (std::is_same_v<T, uint8_t> && kBeyond == Beyond::kNone) {
    if (height == 3 && width == 3 && job.channels == 3) return fn(FixedWindow<3, 3, 3>());
    if (height == 3 && width == 3 && job.channels == 1) return fn(FixedWindow<3, 3, 1>());
    if (height == 5 && width == 5 && job.channels == 3) return fn(FixedWindow<5, 5, 3>());
    if (height == 5 && width == 5 && job.channels == 1) return fn(FixedWindow<5, 5, 1>());
  }
  fn(AnyWindow{height, width});
}

/// Bytes of a line from any address on. Words that hold some of them are read whole: those may begin before the memory
/// or end behind it, but in no other page, and sanitizers need not look.
template <int kBytes>
class ByteRun {
 public:
  __attribute__((no_sanitize("address"))) __device__ explicit ByteRun(const uint8_t* from) {
    const auto place = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from) % sizeof(uint32_t));
    const auto* words = reinterpret_cast<const uint32_t*>(from - place);
    uint32_t aligned[kWords + 1];
#pragma unroll
    for (int i = 0; i < kWords; ++i) aligned[i] = words[i];
    aligned[kWords] = place + kBytes > kWords * sizeof(uint32_t) ? words[kWords] : 0;
#pragma unroll
    for (int i = 0; i < kWords; ++i) words_[i] = __funnelshift_r(aligned[i], aligned[i + 1], place * 8);
  }
  /// Those from `byte` on, which is a constant.
  __device__ Quad<uint8_t> quad(int byte) const {
    const int at = byte / 4, shift = byte % 4 * 8;
    return {shift ? __funnelshift_r(words_[at], words_[at + 1 < kWords ? at + 1 : at], shift) : words_[at]};
  }

 private:
  static constexpr int kWords = (kBytes + 3) / 4;
  uint32_t words_[kWords];
};

/// Those from `from` on.
template <class T>
__device__ Quad<T> load_quad(const T* from) {
  if constexpr (std::is_same_v<T, uint8_t>)
    return ByteRun<kStripColumns>(from).quad(0);
  else
    return {from[0], from[1], from[2], from[3]};
}

/// What the windows of a strip see.
template <class T, Beyond kBeyond>
class StripSource {
 public:
  /// @param fill  what stands beyond a constant border
  __device__ StripSource(const kernels::NeighbourhoodJob& job, const Strip& strip, T fill)
      : job_(job), fill_(fill), picture_(job.axes[0].wanted == 1 ? strip.plane : strip.plane / job.axes[0].wanted) {
    const auto& [az, ay, ax] = job.axes;
    z_ = az.first() + static_cast<int32_t>(strip.plane - picture_ * az.wanted);
    y_ = ay.first() + strip.y;
    line_ = int64_t{ax.held} * job.channels;
    if constexpr (kBeyond != Beyond::kAll) {
      first_ = strip.x + int64_t{ax.first() - ax.held_begin} * job.channels;
    } else {
      auto pixel = static_cast<int32_t>(strip.x / job.channels);
      auto channel = static_cast<int32_t>(strip.x - int64_t{pixel} * job.channels);
#pragma unroll
      for (int j = 0; j < kStripColumns; ++j) {
        pixel_[j] = ax.first() + pixel, channel_[j] = channel;
        if (++channel == job.channels) channel = 0, ++pixel;
      }
    }
  }
  /// Goes to plane k under the windows.
  __device__ void plane(int32_t k) {
    const auto& [az, ay, ax] = job_.axes;
    const int32_t plane = az.source(job_.border, z_ + k);
    plane_inside_ = plane >= 0;
    plane_ = static_cast<const T*>(job_.in) + first_ + (picture_ * az.held + max(plane, 0)) * ay.held * line_;
    if constexpr (kBeyond == Beyond::kNone) plane_ += (y_ - ay.held_begin) * line_;
  }
  /// Goes to row t of that plane. False: it lies beyond a constant border.
  __device__ bool row(int32_t t) {
    int32_t row = t;
    if constexpr (kBeyond != Beyond::kNone) row = job_.axes[1].source(job_.border, y_ + t);
    row_ = plane_ + row * line_;
    inside_ = kBeyond == Beyond::kNone || (plane_inside_ && row >= 0);
    return inside_;
  }
  /// Calls fn(i, quad) with what each column i of the windows sees in that row.
  template <class Window, class Fn>
  __device__ void each_column(const Window& window, Fn&& fn) const {
    if constexpr (Window::kFixed) {
      static_assert(kBeyond == Beyond::kNone);
      const ByteRun<(Window::width - 1) * Window::channels + kStripColumns> run(row_);
#pragma unroll
      for (int i = 0; i < Window::width; ++i) fn(i, run.quad(i * Window::channels));
    } else if constexpr (kBeyond == Beyond::kNone) {
      for (int32_t i = 0; i < window.width; ++i) fn(i, load_quad(row_ + int64_t{i} * job_.channels));
    } else {
#pragma unroll 1
      for (int32_t i = 0; i < window.width; ++i) fn(i, inside_ ? beyond(i) : filled(fill_));
    }
  }

 private:
  __device__ Quad<T> beyond(int32_t i) const {
    if constexpr (kBeyond == Beyond::kRows) return load_quad(row_ + int64_t{i} * job_.channels);
    Quad<T> quad{};
#pragma unroll
    for (int j = 0; j < kStripColumns; ++j) {
      const int32_t column = job_.axes[2].source(job_.border, pixel_[j] + i);
      const T value = column < 0 ? fill_ : row_[int64_t{column} * job_.channels + channel_[j]];
      if constexpr (std::is_same_v<T, uint8_t>)
        quad.word |= static_cast<uint32_t>(value) << 8 * j;
      else
        quad.at[j] = value;
    }
    return quad;
  }

  static constexpr int kGathered = kBeyond == Beyond::kAll ? kStripColumns : 1;
  const kernels::NeighbourhoodJob& job_;
  const T fill_;
  const int64_t picture_;
  int64_t line_, first_ = 0;
  int32_t z_, y_;
  int32_t pixel_[kGathered], channel_[kGathered];  ///< of each neighbour
  const T *plane_ = nullptr, *row_ = nullptr;
  bool plane_inside_ = true, inside_ = true;
};

/// Stores four neighbours, or the `count` first of them.
template <class T>
__device__ void store_quad(T* to, const Quad<T>& quad, int64_t count) {
  struct alignas(sizeof(Quad<T>) <= 16 ? sizeof(Quad<T>) : 16) Aligned {
    Quad<T> quad;
  };
  if (count >= kStripColumns && reinterpret_cast<uintptr_t>(to) % alignof(Aligned) == 0) {
    *reinterpret_cast<Aligned*>(to) = {quad};
    return;
  }
#pragma unroll
  for (int j = 0; j < kStripColumns; ++j) {
    if (j >= count) return;
    if constexpr (std::is_same_v<T, uint8_t>)
      to[j] = static_cast<uint8_t>(quad.word >> 8 * j);
    else
      to[j] = quad.at[j];
  }
}

/// Stores a strip's rows. quad(r) gives row r.
template <class T, int kRows, class Fn>
__device__ void store_strip(const kernels::NeighbourhoodJob& job, const Strip& strip, Fn&& quad) {
  const int32_t rows = job.axes[1].wanted;
  const int64_t line = int64_t{job.axes[2].wanted} * job.channels;
  T* to = static_cast<T*>(job.out) + (strip.plane * rows + strip.y) * line + strip.x;
#pragma unroll
  for (int r = 0; r < kRows; ++r, to += line)
    if (strip.y + r < rows) store_quad<T>(to, quad(r), line - strip.x);
}

}  // namespace penstock::cuda

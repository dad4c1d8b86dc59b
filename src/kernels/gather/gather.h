// Outputs whose every axis picks along one axis of the input: windows, mirrors, permutations, borders, padding. A map
// says where each element comes from; the functions below walk it row by row and convert on the way.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <penstock/shape.h>

#include "core/convert.h"
#include "kernels/gather/job.h"
#include "kernels/pixel/rows.h"

namespace penstock::kernels {

class GatherMap {
 public:
  void clear() { ndim_ = 0; }
  /// Adds an axis of the output, outermost first, and returns its list to fill: for each index the distance of its
  /// elements from the first element of the input, or kOutside. Fill values and factors may differ along a `channel`
  /// axis.
  std::vector<int64_t>& add_axis(bool channel);
  /// Joins short inner axes into rows and finds out how the elements of a row lie. Call after the last axis.
  void finish();
  /// Before finish(): the axes as they were added.
  int ndim() const { return ndim_; }
  std::span<const int64_t> offsets(int axis) const { return axes_[static_cast<size_t>(axis)].offsets; }
  bool is_channel(int axis) const { return axes_[static_cast<size_t>(axis)].channel; }

  int64_t row_size() const { return static_cast<int64_t>(row().size()); }
  /// Indices of a row that always take the fill value.
  std::span<const int32_t> outside() const { return outside_; }
  /// First and past-the-end index of a row that are read.
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  /// Channel of each element of a row; empty when the whole row belongs to one channel.
  std::span<const int32_t> row_channels() const { return row_channels_; }
  int64_t num_channels() const { return num_channels_; }

  /// Calls fn(offset, channel) for each row in the order of the output; offset is kOutside for rows of fill values.
  template <class Fn>
  void for_each_row(Fn&& fn) const {
    walk(ndim_ - 1, 0, 0, 0, fn);
  }

  /// True when rows of three planes lie interleaved in the input (the way from HWC to CHW).
  bool splits_planes() const { return splits_planes_; }
  /// As for_each_row without the channel and row axes: fn(offset, plane size, row number in the plane).
  template <class Fn>
  void for_each_plane_row(Fn&& fn) const;
  bool mirrored() const { return step_ < 0; }

  /// Elements begin() to end() of the row at `in`: in place where they lie one after the other, else put into
  /// `scratch`.
  template <class T>
  const T* fetch(const T* in, T* scratch) const;
  /// Lowest offset that a row reads.
  int64_t low() const { return step_ < 0 ? row()[static_cast<size_t>(end_ - 1)] : row()[static_cast<size_t>(begin_)]; }

 private:
  struct Axis {
    std::vector<int64_t> offsets;
    bool channel = false;
  };
  const std::vector<int64_t>& row() const { return axes_[static_cast<size_t>(ndim_ - 1)].offsets; }
  void join_inner_axes();
  void classify_row();
  bool find_planes() const;
  /// Length of the pixels that a row holds in reverse order; 0 when it is something else.
  int64_t mirrored_pixel() const;

  template <class Fn>
  void walk(int end, int axis, int64_t offset, int64_t channel, Fn& fn) const {
    if (axis == end) return fn(offset, channel);
    const Axis& a = axes_[static_cast<size_t>(axis)];
    for (size_t i = 0; i < a.offsets.size(); ++i)
      walk(end, axis + 1, offset == kOutside || a.offsets[i] == kOutside ? kOutside : offset + a.offsets[i],
           a.channel ? static_cast<int64_t>(i) : channel, fn);
  }

  std::array<Axis, kMaxDims> axes_;
  int ndim_ = 0;
  std::vector<int64_t> joined_;
  std::vector<int32_t> row_channels_, outside_, joined_channels_;
  int64_t begin_ = 0, end_ = 0, step_ = 0, pixel_ = 0, num_channels_ = 1;
  bool splits_planes_ = false;
};

template <class T>
const T* GatherMap::fetch(const T* in, T* scratch) const {
  if (step_ == 1) return in + low();
  if constexpr (std::is_same_v<T, uint8_t>) {
    if (pixel_ == 1 || pixel_ == 3) {
      const int64_t low = row()[static_cast<size_t>(end_ - pixel_)];
      mirror_pixels(in + low, static_cast<size_t>((end_ - begin_) / pixel_), static_cast<int>(pixel_), scratch);
      return scratch;
    }
  }
  const int64_t* offsets = row().data();
  T* to = scratch;
  if (outside_.empty()) {
    for (int64_t i = begin_; i < end_; ++i) *to++ = in[offsets[i]];
  } else {
    for (int64_t i = begin_; i < end_; ++i) *to++ = offsets[i] == kOutside ? T{} : in[offsets[i]];
  }
  return scratch;
}

template <class Fn>
void GatherMap::for_each_plane_row(Fn&& fn) const {
  const Axis& rows = axes_[static_cast<size_t>(ndim_ - 2)];
  const auto plane = static_cast<int64_t>(rows.offsets.size());
  const auto each = [&](int64_t offset, int64_t) {
    for (int64_t y = 0; y < plane; ++y) {
      const int64_t row = rows.offsets[static_cast<size_t>(y)];
      fn(offset == kOutside || row == kOutside ? kOutside : offset + row, plane, y);
    }
  };
  walk(ndim_ - 3, 0, 0, 0, each);
}

/// Writes the fill values of one row: all of it, or the elements that are always outside.
template <class Out>
void fill_row(const GatherMap& map, bool all, int64_t channel, std::span<const Out> fills, Out* out) {
  const auto value = [&](int64_t i) {
    const auto channels = map.row_channels();
    return fills[static_cast<size_t>(channels.empty() ? channel : channels[static_cast<size_t>(i)])];
  };
  if (all) {
    for (int64_t i = 0; i < map.row_size(); ++i) out[i] = value(i);
  } else {
    for (int32_t i : map.outside()) out[i] = value(i);
  }
}

/// Writes all rows of `map` to `out`, densely. convert(line, n, index, channel, to) converts n elements, the first of
/// which has that index in its row. `fills`: one value per channel of the map. `scratch`: a row of the input.
template <class In, class Out, class Convert>
void gather(const GatherMap& map, const In* in, std::span<const Out> fills, Out* out, In* scratch, Convert&& convert) {
  map.for_each_row([&](int64_t offset, int64_t channel) {
    const bool all_fill = offset == kOutside || map.begin() == map.end();
    if (!all_fill)
      convert(map.fetch(in + offset, scratch), map.end() - map.begin(), map.begin(), channel, out + map.begin());
    fill_row(map, all_fill, channel, fills, out);
    out += map.row_size();
  });
}

/// gather() where splits_planes(): reads each interleaved row once for all three planes. `scratch`: three rows.
template <class Out, class Convert>
void gather_planes(const GatherMap& map, const uint8_t* in, std::span<const Out> fills, Out* out, uint8_t* scratch,
                   Convert&& convert) {
  const int64_t n = map.end() - map.begin();
  map.for_each_plane_row([&](int64_t offset, int64_t plane, int64_t y) {
    if (offset != kOutside)
      deinterleave3(in + offset + map.low(), static_cast<size_t>(n), scratch, scratch + n, scratch + 2 * n,
                    map.mirrored());
    for (int64_t c = 0; c < map.num_channels(); ++c) {
      Out* to = out + (c * plane + y) * map.row_size();
      const bool all_fill = offset == kOutside || c >= 3;
      if (!all_fill) convert(scratch + c * n, n, map.begin(), c, to + map.begin());
      fill_row(map, all_fill, c, fills, to);
    }
    if (y + 1 == plane) out += map.num_channels() * plane * map.row_size();
  });
}

}  // namespace penstock::kernels

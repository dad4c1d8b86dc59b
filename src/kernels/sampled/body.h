// What CPU and GPU do alike when they look elements up: one position of the result at a time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/convert.h"
#include "kernels/sampled/job.h"

namespace penstock::kernels {

/// A place in the source: x, y, z.
struct SampledPlace {
  float at[kSampledAxes];
};

constexpr SampledPlace place_of(const AffineMap& map, const SampledPlace& target) {
  SampledPlace place{};
  for (int axis = 0; axis < kSampledAxes; ++axis) {
    const float(&row)[kSampledAxes + 1] = map.matrix[axis];
    place.at[axis] = row[0] * target.at[0] + row[1] * target.at[1] + row[2] * target.at[2] + row[3];
  }
  return place;
}

/// One axis of a place: the element that it lies in, and how far between that one's centre and the next one's.
struct SampledTap {
  int32_t low = 0;
  float weight = 0;
};

/// The largest whole number that is no more than `x`. What no source reaches comes out as far outside, NaN, too.
constexpr int32_t whole_below(float x) {
  constexpr float kFar = 0x1p30f;
  if (!(x > -kFar)) return -(1 << 30);
  if (x > kFar) return 1 << 30;
  const auto whole = static_cast<int32_t>(x);
  return whole - static_cast<int32_t>(x < static_cast<float>(whole));
}

constexpr SampledTap tap_of(Sampling sampling, float x) {
  if (sampling == Sampling::kNearest) return {whole_below(x), 0};
  const float centred = x - 0.5f;
  const int32_t low = whole_below(centred);
  const float weight = centred - static_cast<float>(low);
  return {low, weight >= 0 && weight <= 1 ? weight : 0};
}

/// Elements from the first one that the source holds to index `i` along an axis, in elements of that axis; -1: the fill
/// value. Indices that are not held come out at the nearest that is: nothing else is read.
constexpr int32_t held_index(const SampledSource& source, int axis, int32_t i) {
  const int32_t last = source.size[axis] - 1;
  if (i < 0 || i > last) {
    if (source.clamp)
      i = i < 0 ? 0 : last;
    else
      i = static_cast<int32_t>(border_index<int64_t>(source.beyond, i, int64_t{last} + 1));
    if (i < 0) return -1;
  }
  const int32_t held = i - source.held[axis], most = source.extent[axis] - 1;
  return held < 0 ? 0 : held > most ? most : held;
}

/// Elements around a place, two along each axis. Where the sampling takes the nearest one, it is the first.
struct SampledNeighbours {
  int64_t offset[8] = {};  ///< from the first element that is held; -1: the fill value. By z, y, x.
  float weight[kSampledAxes] = {};
};

/// The taps along each axis that counts.
struct SampledTaps {
  SampledTap along[kSampledAxes];
};

template <bool kVolume>
constexpr SampledTaps taps_of(Sampling sampling, const SampledPlace& place) {
  SampledTaps taps;
  for (int axis = 0; axis < (kVolume ? 3 : 2); ++axis) taps.along[axis] = tap_of(sampling, place.at[axis]);
  return taps;
}

template <bool kVolume>
constexpr SampledNeighbours neighbours_of(const SampledSource& source, int32_t frame, const SampledTaps& taps) {
  SampledNeighbours found;
  int32_t index[kSampledAxes][2] = {};
  for (int axis = 0; axis < (kVolume ? 3 : 2); ++axis) {
    const SampledTap& tap = taps.along[axis];
    found.weight[axis] = tap.weight;
    for (int side = 0; side < 2; ++side) index[axis][side] = held_index(source, axis, tap.low + side);
  }
  for (int n = 0; n < (kVolume ? 8 : 4); ++n) {
    const int32_t x = index[0][n & 1], y = index[1][n >> 1 & 1], z = kVolume ? index[2][n >> 2] : 0;
    const int64_t row = (int64_t{frame} * source.extent[2] + z) * source.extent[1] + y;
    found.offset[n] = x < 0 || y < 0 || z < 0 ? -1 : (row * source.extent[0] + x) * source.channels;
  }
  return found;
}

template <class In>
constexpr float element_at(const SampledSource& source, int64_t offset, int32_t channel) {
  if (offset < 0) return source.fill ? source.fill[channel] : 0;
  return static_cast<float>(static_cast<const In*>(source.in)[offset + channel]);
}

constexpr float between(float low, float high, float weight) { return low + (high - low) * weight; }

template <class In, bool kVolume>
constexpr float mixed(const SampledSource& source, const SampledNeighbours& n, int32_t channel) {
  const auto plane = [&](int first) {
    const auto row = [&](int from) {
      return between(element_at<In>(source, n.offset[from], channel),
                     element_at<In>(source, n.offset[from + 1], channel), n.weight[0]);
    };
    return between(row(first), row(first + 2), n.weight[1]);
  };
  if constexpr (kVolume)
    return between(plane(0), plane(4), n.weight[2]);
  else
    return plane(0);
}

/// Rounds half away from zero, as convert_sat(), what lies between elements of that type.
template <class Out>
constexpr Out rounded(float value) {
  if constexpr (std::is_same_v<Out, uint8_t>) {
    const auto whole = static_cast<int32_t>(value);
    const int32_t near = whole + static_cast<int32_t>(value - static_cast<float>(whole) >= 0.5f);
    return static_cast<uint8_t>(near > 255 ? 255 : near);
  } else {
    return convert_sat<Out>(value);
  }
}

/// Loads neighbours one by one. A machine may have a quicker way.
struct PlainLoads {
  template <size_t kCount, class In>
  static constexpr void load(const In* from, float (&values)[kCount]) {
    for (size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(from[i]);
  }
};

/// Mixes a pixel of the source with those to its right, below and between, `row` elements further down.
template <int32_t kChannels, class Loads, class In, class Out>
constexpr void mix_pixel(const In* at, int32_t row, float across, float down, Out* out) {
  float upper[2 * kChannels] = {}, lower[2 * kChannels] = {};
  Loads::load(at, upper);
  Loads::load(at + row, lower);
  for (int32_t channel = 0; channel < kChannels; ++channel) {
    const float above = between(upper[channel], upper[channel + kChannels], across);
    const float below = between(lower[channel], lower[channel + kChannels], across);
    out[channel] = rounded<Out>(between(above, below, down));
  }
}

/// Makes a pixel whose four neighbours are all held, with addresses of 32 bits from the frame on.
/// @return false where they are not, or where the sampling is another one: nothing is made
template <class Loads, class In, class Out>
constexpr bool sample_inside(const SampledSource& source, int32_t frame, const SampledTaps& taps, Out* out) {
  const SampledTap &across = taps.along[0], &down = taps.along[1];
  const int32_t x = across.low - source.held[0], y = down.low - source.held[1];
  const int64_t row = int64_t{source.extent[0]} * source.channels;
  if (source.sampling != Sampling::kLinear || x < 0 || y < 0 || x >= source.extent[0] - 1 || y >= source.extent[1] - 1)
    return false;
  if (row > INT32_MAX) return false;
  const In* const at =
      static_cast<const In*>(source.in) + (int64_t{frame} * source.extent[1] + y) * row + x * source.channels;
  const auto width = static_cast<int32_t>(row);
  if (source.channels == 3)
    mix_pixel<3, Loads>(at, width, across.weight, down.weight, out);
  else
    for (int32_t channel = 0; channel < source.channels; ++channel) {
      const auto pixel = [&](int32_t to) { return static_cast<float>(at[to + channel]); };
      const float above = between(pixel(0), pixel(source.channels), across.weight);
      const float below = between(pixel(width), pixel(width + source.channels), across.weight);
      out[channel] = rounded<Out>(between(above, below, down.weight));
    }
  return true;
}

/// Makes a pixel that sees nothing but a constant border. @return false where it sees something else: nothing is made
template <class Out>
constexpr bool fill_outside(const SampledSource& source, const SampledTaps& taps, Out* out) {
  if (source.clamp || source.beyond != Border::kConstant) return false;
  const auto lies_off = [&](int axis) {
    const int32_t low = taps.along[axis].low;
    return low < -1 || low >= source.size[axis] || (low < 0 && source.sampling == Sampling::kNearest);
  };
  if (!lies_off(0) && !lies_off(1)) return false;
  for (int32_t channel = 0; channel < source.channels; ++channel)
    out[channel] = convert_sat<Out>(source.fill ? source.fill[channel] : 0.0f);
  return true;
}

/// Makes all channels of a position at `out`.
template <class Loads, class In, class Out, bool kVolume>
constexpr void sample_taps(const SampledSource& source, int32_t frame, const SampledTaps& taps, Out* out) {
  if constexpr (!kVolume)
    if (sample_inside<Loads, In>(source, frame, taps, out) || fill_outside(source, taps, out)) return;
  const SampledNeighbours near = neighbours_of<kVolume>(source, frame, taps);
  for (int32_t channel = 0; channel < source.channels; ++channel)
    if (source.sampling == Sampling::kLinear)
      out[channel] = convert_sat<Out>(mixed<In, kVolume>(source, near, channel));
    else if (near.offset[0] < 0)
      out[channel] = convert_sat<Out>(source.fill ? source.fill[channel] : 0.0f);
    else
      out[channel] = convert_sat<Out>(static_cast<const In*>(source.in)[near.offset[0] + channel]);
}

/// The centre of a position of the result along an axis. Of pictures z counts frames, for maps that differ among them.
constexpr float centre_of(const SampledTarget& target, int axis, int32_t i) {
  return static_cast<float>(target.first[axis] + i) + 0.5f;
}

constexpr SampledPlace centre_at(const SampledTarget& target, int32_t x, int32_t y, int32_t z) {
  return {{centre_of(target, 0, x), centre_of(target, 1, y), centre_of(target, 2, z)}};
}

/// Makes all channels of a position of the result; `z` counts the planes of all frames.
template <class In, class Out, bool kVolume, class Loads = PlainLoads, class Map>
constexpr void sample_position(const SampledJob<Map>& job, int32_t x, int32_t y, int32_t z) {
  const SampledSource& source = job.source;
  const SampledTarget& target = job.target;
  const int32_t frame = job.frames == 1 ? 0 : z / target.extent[2], plane = z - frame * target.extent[2];
  const SampledPlace centre = centre_at(target, x, y, kVolume ? plane : frame);
  const int64_t position = (int64_t{z} * target.extent[1] + y) * target.extent[0] + x;
  sample_taps<Loads, In, Out, kVolume>(source, frame, taps_of<kVolume>(source.sampling, place_of(job.map, centre)),
                                       static_cast<Out*>(target.out) + position * source.channels);
}

}  // namespace penstock::kernels

// Looking a pixel of three bytes up.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/support/pixels.cuh"
#include "kernels/sampled/body.h"

namespace penstock::cuda {

using kernels::Sampling;

struct PixelTap {
  uint32_t low = 0;  ///< index in the source, and the bits of kOnes
  float weight = 0;
};

/// What the positions of a job have in common.
struct PixelSource {
  uintptr_t in;
  uint64_t frame_bytes;
  const uint32_t* words;    ///< from the one that holds the frame's first byte on
  uint32_t start;           ///< bytes from `words` to where both taps would be 0. Sums of unsigned numbers wrap.
  uint32_t origin = 0;      ///< the same, from the frame's first byte on
  uint32_t row;             ///< bytes
  uint32_t last_row;        ///< as a tap
  float least[2], most[2];  ///< places along x and y between which all that is looked at is held
  float off[2][2];          ///< below the first, and from the second on, nothing of the picture is seen
  bool fills;
  uint32_t fill = 0;  ///< a pixel

  __device__ explicit PixelSource(const kernels::SampledSource& source)
      : in(reinterpret_cast<uintptr_t>(source.in)),
        row(static_cast<uint32_t>(source.extent[0]) * 3),
        last_row(std::bit_cast<uint32_t>(kOnes) + static_cast<uint32_t>(source.held[1] + source.extent[1] - 1)),
        fills(!clamps(source) && source.beyond == kernels::Border::kConstant) {
    frame_bytes = uint64_t{row} * static_cast<uint32_t>(source.extent[1]);
    const bool linear = source.sampling == Sampling::kLinear;
    for (int axis = 0; axis < 2; ++axis) {
      const auto held = static_cast<float>(source.held[axis]);
      const float beyond = held + static_cast<float>(source.extent[axis] - (linear ? 1 : 0));
      least[axis] = held;
      most[axis] = linear && clamps(source) ? beyond : std::bit_cast<float>(std::bit_cast<uint32_t>(beyond) - 1);
      off[axis][0] = linear ? -1.f : 0.f, off[axis][1] = static_cast<float>(source.size[axis]);
      origin -= (axis ? row : 3) * (std::bit_cast<uint32_t>(kOnes) + static_cast<uint32_t>(source.held[axis]));
    }
    if (!fills || !source.fill) return;
    for (int channel = 0; channel < 3; ++channel)
      fill |= uint32_t{convert_sat<uint8_t>(source.fill[channel])} << (8 * channel);
  }
  __device__ void look_at(uint32_t frame) {
    const uintptr_t first = in + frame * frame_bytes;
    words = reinterpret_cast<const uint32_t*>(first & ~uintptr_t{3});
    start = origin + static_cast<uint32_t>(first & 3);
  }
  static __device__ bool clamps(const kernels::SampledSource& source) {
    return source.clamp || source.beyond == kernels::Border::kClamp;
  }
};

/// Whether jobs are made here: others are made position by position.
__device__ inline bool are_pixels(const kernels::SampledSource& source, const kernels::SampledTarget& target) {
  constexpr int32_t kMost = 1 << 22;  // so far floats have halves
  bool suits = source.channels == 3 && source.ndim == 2 && target.first[0] <= kMost - target.extent[0];
  for (int axis = 0; axis < 2; ++axis) suits = suits && source.size[axis] <= kMost && source.extent[axis] > 1;
  return suits && int64_t{source.extent[0]} * source.extent[1] <= INT32_MAX / 3;
}

/// Moves a place to where its taps are held, if the source clamps. @return whether they are held
template <bool kClamps>
__device__ bool holds(const PixelSource& source, int axis, float& centred) {
  if constexpr (!kClamps) return centred >= source.least[axis] && centred <= source.most[axis];
  centred = fminf(fmaxf(centred, source.least[axis]), source.most[axis]);
  return true;
}

/// The tap of an axis at a place that holds() says yes to. The last column is found as what lies right of the one
/// before, with weight 1: that is exact for bytes.
template <Sampling kSampling, bool kClamps>
__device__ PixelTap tap_at(const PixelSource& source, int axis, float centred) {
  float low = __fadd_rd(centred, kOnes);
  if (kSampling == Sampling::kLinear && kClamps && axis == 0) low = fminf(low, kOnes + (source.most[axis] - 1));
  return {std::bit_cast<uint32_t>(low), centred - (low - kOnes)};
}

/// between() of bytes `k` and `k + 3`: the same bits.
__device__ inline float between_bytes(const uint2& two, uint32_t k, float weight) {
  const float low = with_ones(two.x, k), high = k == 0 ? with_ones(two.x, 3) : with_ones(two.y, k - 1);
  return (low - kOnes) + (high - low) * weight;
}

/// The pixel at a place that holds() says yes to along both axes: in the lower bytes of a word, its first channel
/// lowest.
template <Sampling kSampling, bool kClamps>
__device__ uint32_t pixel_at(const PixelSource& source, const float (&place)[2]) {
  const PixelTap across = tap_at<kSampling, kClamps>(source, 0, place[0]);
  const PixelTap down = tap_at<kSampling, kClamps>(source, 1, place[1]);
  const uint32_t at = source.start + down.low * source.row + across.low * 3;
  if constexpr (kSampling == Sampling::kNearest) return load_pixel(source.words, at);
  // The last row has none below it.
  const uint32_t below = !kClamps || down.low < source.last_row ? source.row : 0;
  const uint2 upper = load_two_pixels(source.words, at), lower = load_two_pixels(source.words, at + below);
  uint32_t made[3];
  for (uint32_t k = 0; k < 3; ++k) {
    const float high = between_bytes(upper, k, across.weight), low = between_bytes(lower, k, across.weight);
    made[k] = byte_in_word(high + (low - high) * down.weight);
  }
  return pixel_of(made);
}

/// A pixel that sees what is held, or nothing but the fill value. @return false where it sees something else
template <Sampling kSampling, bool kClamps>
__device__ bool look_up(const PixelSource& source, float (&place)[2], uint32_t& pixel) {
  if (holds<kClamps>(source, 0, place[0]) && holds<kClamps>(source, 1, place[1])) {
    pixel = pixel_at<kSampling, kClamps>(source, place);
    return true;
  }
  const bool on = place[0] >= source.off[0][0] && place[0] < source.off[0][1] && place[1] >= source.off[1][0] &&
                  place[1] < source.off[1][1];
  pixel = source.fill;
  return source.fills && !on;
}

}  // namespace penstock::cuda

// Looking a pixel of three bytes up. Conversions between integers and floats take a GPU as long as eight sums: here
// sums with 2^23 take their place.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/support/pixels.cuh"
#include "kernels/sampled/body.h"

namespace penstock::cuda {

using kernels::Sampling;

/// The float whose last bit counts ones: sums with it have a whole number in their last bits.
inline constexpr float kOnes = 0x1p23f;

struct PixelTap {
  int32_t low = 0;  ///< among the pixels that are held
  float weight = 0;
};

/// What all positions of a job have in common.
struct PixelSource {
  const uint8_t* in;
  int32_t row;      ///< bytes
  float least[2];   ///< places along x and y from which on all that is looked at is held,
  float beyond[2];  ///< up to here
  float off[2][2];  ///< below the first, and from the second on, nothing of the picture is seen
  int32_t held[2], last_row;
  bool clamp, fills;
  uint32_t fill;  ///< a pixel

  __device__ PixelSource(const kernels::SampledSource& source, int32_t frame)
      : row(source.extent[0] * 3),
        last_row(source.extent[1] - 1),
        clamp(source.clamp || source.beyond == kernels::Border::kClamp),
        fills(!clamp && source.beyond == kernels::Border::kConstant),
        fill(0) {
    in = static_cast<const uint8_t*>(source.in) + int64_t{frame} * source.extent[1] * row;
    const bool linear = source.sampling == Sampling::kLinear;
    for (int axis = 0; axis < 2; ++axis) {
      held[axis] = source.held[axis];
      least[axis] = static_cast<float>(held[axis]);
      beyond[axis] = static_cast<float>(held[axis] + source.extent[axis] - (linear ? 1 : 0));
      off[axis][0] = linear ? -1.f : 0.f, off[axis][1] = static_cast<float>(source.size[axis]);
    }
    if (!fills || !source.fill) return;
    for (int channel = 0; channel < 3; ++channel)
      fill |= uint32_t{convert_sat<uint8_t>(source.fill[channel])} << (8 * channel);
  }
};

/// Whether jobs are made here: others are made position by position.
__device__ inline bool are_pixels(const kernels::SampledSource& source) {
  constexpr int32_t kMost = 1 << 22;  // so far floats have halves
  bool suits = source.channels == 3 && source.ndim == 2;
  for (int axis = 0; axis < 2; ++axis) suits = suits && source.size[axis] <= kMost && source.extent[axis] > 1;
  return suits && int64_t{source.extent[0]} * source.extent[1] <= INT32_MAX / 3;
}

/// The last bits of what `x` is rounded down to.
__device__ inline uint32_t ones_of(float x) { return std::bit_cast<uint32_t>(__fadd_rd(x, kOnes)); }
/// kOnes and byte `k` of a word.
__device__ inline float with_ones(uint32_t word, uint32_t k) {
  return std::bit_cast<float>(__byte_perm(word, std::bit_cast<uint32_t>(kOnes), 0x7440 | k));
}

/// Finds the taps around a place along an axis. The last row has none below it; the last column is found as what lies
/// right of the one before, with weight 1: that is exact for bytes. @return false where they are not all held
template <Sampling kSampling>
__device__ bool find_tap(const PixelSource& source, int axis, float centred, PixelTap& tap) {
  constexpr bool kLinear = kSampling == Sampling::kLinear;
  const float beyond = source.beyond[axis];
  if (source.clamp)
    centred = fminf(fmaxf(centred, source.least[axis]), kLinear ? beyond : beyond - 1);
  else if (!(centred >= source.least[axis] && centred < beyond))
    return false;
  float low = __fadd_rd(centred, kOnes);
  if (kLinear && axis == 0) low = fminf(low, kOnes + (beyond - 1));
  tap.low = static_cast<int32_t>(std::bit_cast<uint32_t>(low) - std::bit_cast<uint32_t>(kOnes)) - source.held[axis];
  tap.weight = centred - (low - kOnes);
  return true;
}

/// between() of bytes `k` and `k + 3`: the same bits.
__device__ inline float between_bytes(const uint2& two, uint32_t k, float weight) {
  const float low = with_ones(two.x, k), high = k == 0 ? with_ones(two.x, 3) : with_ones(two.y, k - 1);
  return (low - kOnes) + (high - low) * weight;
}

/// A pixel in the lower bytes of a word, its first channel lowest. @return false where it takes what is not held
template <Sampling kSampling>
__device__ bool look_up(const PixelSource& source, const kernels::SampledPlace& place, uint32_t& pixel) {
  constexpr float kHalf = kSampling == Sampling::kLinear ? 0.5f : 0.f;
  const float x = place.at[0] - kHalf, y = place.at[1] - kHalf;
  PixelTap across, down;
  if (!find_tap<kSampling>(source, 0, x, across) || !find_tap<kSampling>(source, 1, y, down)) {
    const bool on = x >= source.off[0][0] && x < source.off[0][1] && y >= source.off[1][0] && y < source.off[1][1];
    pixel = source.fill;
    return source.fills && !on;
  }
  const uint8_t* const at = source.in + static_cast<uint32_t>(down.low * source.row + across.low * 3);
  if constexpr (kSampling == Sampling::kNearest) {
    pixel = load_pixel(at);
  } else {
    const uint2 upper = load_two_pixels(at),
                lower = load_two_pixels(at + (down.low < source.last_row ? source.row : 0));
    uint32_t made[3];
    for (uint32_t k = 0; k < 3; ++k) {
      const float above = between_bytes(upper, k, across.weight), below = between_bytes(lower, k, across.weight);
      made[k] = ones_of((above + (below - above) * down.weight) + 0x1.fffffep-2f);  // halves go up, see to_byte()
    }
    pixel = __byte_perm(__byte_perm(made[0], made[1], 0x0040), made[2], 0x0410);
  }
  return true;
}

}  // namespace penstock::cuda

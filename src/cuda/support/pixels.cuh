// Pixels of three bytes, from anywhere in memory: words from the one that holds the first byte to the one that holds
// the last. Those words may begin before the memory or end behind it, but in no other page: sanitizers need not look.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/support/threads.cuh"

namespace penstock::cuda {

/// The pixel at a byte from `words` on, in the lower bytes.
__attribute__((no_sanitize("address"))) __device__ inline uint32_t load_pixel(const uint32_t* words, uint32_t byte) {
  const uint32_t* const at = words + (byte >> 2);
  return __funnelshift_r(__ldg(at), (byte & 3) > 1 ? __ldg(at + 1) : 0, byte << 3);  // which counts modulo 32
}
/// Two neighbours: bytes 0 to 3, and 4 and 5 in the lower bytes of the other word.
__attribute__((no_sanitize("address"))) __device__ inline uint2 load_two_pixels(const uint32_t* words, uint32_t byte) {
  const uint32_t* const at = words + (byte >> 2);
  const uint32_t second = __ldg(at + 1), shift = byte << 3;
  return {__funnelshift_r(__ldg(at), second, shift),
          __funnelshift_r(second, (byte & 3) == 3 ? __ldg(at + 2) : 0, shift)};
}

// Conversions between integers and floats take a GPU as long as eight sums: sums with large numbers take their place.

/// The float whose last bit counts ones: sums with it have a whole number in their last bits.
inline constexpr float kOnes = 0x1p23f;

/// kOnes and byte `k` of a word.
__device__ inline float with_ones(uint32_t word, uint32_t k) {
  return std::bit_cast<float>(__byte_perm(word, std::bit_cast<uint32_t>(kOnes), 0x7440 | k));
}

/// What lies between 0 and 255 as a whole number, halves up, in the second byte of a word: sums with 2^15 count 256ths.
__device__ inline uint32_t byte_in_word(float value) {
  return std::bit_cast<uint32_t>(__fadd_rd(value, 0x1p15f + 0.5f));
}

/// The lower three bytes of words of which each has a pixel's channel in its second byte.
__device__ inline uint32_t pixel_of(const uint32_t (&channels)[3]) {
  return __byte_perm(__byte_perm(channels[0], channels[1], 0x0051), channels[2], 0x0510);
}
/// Stores four pixels as three words.
__device__ inline void store_pixels(const uint4& pixels, uint32_t* to) {
  to[0] = __byte_perm(pixels.x, pixels.y, 0x4210);
  to[1] = __byte_perm(pixels.y, pixels.z, 0x5421);
  to[2] = __byte_perm(pixels.z, pixels.w, 0x6542);
}

}  // namespace penstock::cuda

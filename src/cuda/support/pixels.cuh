// Pixels of three bytes, from anywhere in memory: words from the one that holds the first byte to the one that holds
// the last. Those words may begin before the memory or end behind it, but in no other page: sanitizers need not look.
#pragma once

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

}  // namespace penstock::cuda

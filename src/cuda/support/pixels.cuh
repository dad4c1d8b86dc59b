// Pixels of three bytes, from anywhere in memory: words from the one that holds the first byte to the one that holds
// the last. Those words may begin before the memory or end behind it, but in no other page: sanitizers need not look.
#pragma once

#include <cstdint>

#include "cuda/support/threads.cuh"

namespace penstock::cuda {

/// A pixel in the lower bytes.
__attribute__((no_sanitize("address"))) __device__ inline uint32_t load_pixel(const uint8_t* from) {
  const auto at = reinterpret_cast<uintptr_t>(from);
  const auto* words = reinterpret_cast<const uint32_t*>(at & ~uintptr_t{3});
  const uint32_t shift = static_cast<uint32_t>(at & 3) * 8;
  return __funnelshift_r(__ldg(words), shift > 8 ? __ldg(words + 1) : 0, shift);
}
/// Two neighbours: bytes 0 to 3, and 4 and 5 in the lower bytes of the other word.
__attribute__((no_sanitize("address"))) __device__ inline uint2 load_two_pixels(const uint8_t* from) {
  const auto at = reinterpret_cast<uintptr_t>(from);
  const auto* words = reinterpret_cast<const uint32_t*>(at & ~uintptr_t{3});
  const uint32_t shift = static_cast<uint32_t>(at & 3) * 8, second = __ldg(words + 1);
  return {__funnelshift_r(__ldg(words), second, shift),
          __funnelshift_r(second, shift > 16 ? __ldg(words + 2) : 0, shift)};
}

}  // namespace penstock::cuda

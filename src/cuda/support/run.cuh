// Runs: 16 bytes that a thread loads or stores at once.
#pragma once

#include <cstdint>

#include "cuda/support/threads.cuh"

namespace penstock::cuda {

inline constexpr int kRunBytes = 16;

/// 16 bytes from anywhere: words from the one that holds the first byte to the one that holds the last. Those words may
/// begin before the memory or end behind it, but in no other page: sanitizers need not look.
__attribute__((no_sanitize("address"))) __device__ inline uint4 load_run(const void* from) {
  const auto at = reinterpret_cast<uintptr_t>(from);
  if (at % kRunBytes == 0) return __ldg(static_cast<const uint4*>(from));
  const auto* const words = reinterpret_cast<const uint32_t*>(at & ~uintptr_t{3});
  const uint32_t shift = static_cast<uint32_t>(at & 3) * 8;
  const uint32_t a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2), d = __ldg(words + 3);
  const uint32_t e = shift ? __ldg(words + 4) : 0;
  return {__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift),
          __funnelshift_r(d, e, shift)};
}

/// Elements of T that lie before `out` in the 16 bytes in which it begins: runs of a result end where 16 bytes do.
template <class T>
__device__ int32_t elements_before(const T* out) {
  return static_cast<int32_t>(reinterpret_cast<uintptr_t>(out) % kRunBytes / sizeof(T));
}

}  // namespace penstock::cuda

// Numbers packed side by side with saturation, an instruction for every two of them.
#pragma once

#include <cstdint>

namespace penstock::cuda {

/// Two numbers of 16 bits, the first in the lower half.
__device__ inline uint32_t pack_shorts(int low, int high) {
  uint32_t both;
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(both) : "r"(high), "r"(low));
  return both;
}

/// Four bytes, the first in the lowest place; without and with a sign.
__device__ inline uint32_t pack_bytes(int a, int b, int c, int d) {
  uint32_t all;
  asm("{.reg .b32 upper; cvt.pack.sat.u8.s32.b32 upper, %4, %3, 0; cvt.pack.sat.u8.s32.b32 %0, %2, %1, upper;}"
      : "=r"(all)
      : "r"(a), "r"(b), "r"(c), "r"(d));
  return all;
}
__device__ inline uint32_t pack_signed_bytes(int a, int b, int c, int d) {
  uint32_t all;
  asm("{.reg .b32 upper; cvt.pack.sat.s8.s32.b32 upper, %4, %3, 0; cvt.pack.sat.s8.s32.b32 %0, %2, %1, upper;}"
      : "=r"(all)
      : "r"(a), "r"(b), "r"(c), "r"(d));
  return all;
}

}  // namespace penstock::cuda

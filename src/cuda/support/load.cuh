// Loads and stores that C++ has no words for.
#pragma once

#include <cstdint>

namespace penstock::cuda {

/// Loads that leave the registers as they are where nothing is wanted. As plain C++ they go to other registers, which
/// are copied then: that takes instructions, and waits for the load.
template <class T>
__device__ inline void load_if(uint32_t wanted, T& to, const T& from_shared) {
  static_assert(sizeof(T) == 4 * sizeof(uint32_t) && alignof(T) == sizeof(T));
  auto* words = reinterpret_cast<uint32_t*>(&to);
  asm volatile("{.reg .pred wanted; setp.ne.u32 wanted, %4, 0; @wanted ld.shared.v4.u32 {%0, %1, %2, %3}, [%5];}"
               : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3])
               : "r"(wanted), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&from_shared))));
}
/// From memory that is not written meanwhile.
__device__ inline void load_if(uint32_t wanted, uint2& to, const uint2* from) {
  asm volatile("{.reg .pred wanted; setp.ne.u32 wanted, %2, 0; @wanted ld.global.nc.v2.u32 {%0, %1}, [%3];}"
               : "+r"(to.x), "+r"(to.y)
               : "r"(wanted), "l"(__cvta_generic_to_global(from)));
}

/// What is there now, though others may write it meanwhile; and what others may write, too.
__device__ inline uint32_t load_now(const uint32_t& from) { return *static_cast<const volatile uint32_t*>(&from); }
__device__ inline void store_now(int32_t& to, int32_t value) { *static_cast<volatile int32_t*>(&to) = value; }

}  // namespace penstock::cuda

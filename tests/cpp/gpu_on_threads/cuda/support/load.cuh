// In the place of src/cuda/support/load.cuh.
#pragma once

#include <cstdint>

#include "gpu_on_threads/threads.h"

namespace penstock::cuda {

template <class T>
void load_if(uint32_t wanted, T& to, const T& from_shared) {
  if (wanted != 0) to = from_shared;
}
inline void load_if(uint32_t wanted, uint2& to, const uint2* from) {
  if (wanted != 0) to = *from;
}
inline uint32_t load_now(const uint32_t& from) { return __atomic_load_n(&from, __ATOMIC_RELAXED); }
inline void store_now(int32_t& to, int32_t value) { __atomic_store_n(&to, value, __ATOMIC_RELAXED); }

}  // namespace penstock::cuda

// Copying within a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::cuda {

/// The blocks along the grid's x share the bytes in strips, 16 at a time where both ends allow it.
__device__ inline void copy_bytes(const char* from, char* to, size_t bytes) {
  const auto aligned = (reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to)) % 16 == 0;
  const size_t wide = aligned ? bytes / 16 : 0;
  const size_t stride = size_t{gridDim.x} * blockDim.x, first = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  for (size_t i = first; i < wide; i += stride)
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
  for (size_t i = wide * 16 + first; i < bytes; i += stride) to[i] = from[i];
}

}  // namespace penstock::cuda

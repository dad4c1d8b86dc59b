// A checksum of up to some kilobytes, made by all threads of a block: an edit goes unnoticed once in 2^64.
//
// Words are multiplied in pairs, with keys that depend on where they lie, and the products added up, in any order: NH
// (Black et al., UMAC: Fast and Secure Message Authentication, 1999). Twice, in other pairs and with other keys: one
// sum would not notice an edit of a word whose partner happens to be its key.
#pragma once

#include <cstdint>

namespace penstock::cuda {

struct Sums {
  uint64_t first = 0, second = 0;

  /// Sixteen bytes.
  __device__ void add(uint4 words, uint32_t place) {
    const uint32_t key = (place + 1) * 0x9e3779b1U, other = key ^ 0x85ebca77U;
    first += uint64_t{words.x + key} * (words.y + other);
    first += uint64_t{words.z + ~key} * (words.w + ~other);
    second += uint64_t{words.x ^ other} * (words.w ^ key);
    second += uint64_t{words.y ^ ~other} * (words.z ^ ~key);
  }
  __device__ uint64_t both() const {
    return first * 0x9e3779b97f4a7c15ull + (second ^ second >> 29) * 0xbf58476d1ce4e5b9ull;
  }
};

__device__ inline uint64_t total_of_block(uint64_t mine) {
  __shared__ unsigned long long total;
  if (threadIdx.x == 0) total = 0;
  for (int lanes = 16; lanes; lanes /= 2) mine += __shfl_down_sync(~0u, mine, lanes);
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
  __syncthreads();
  return total;
}

/// The same in all threads; never 0.
__device__ inline uint64_t checksum(const char* from, uint32_t bytes) {
  const bool aligned = reinterpret_cast<uintptr_t>(from) % sizeof(uint4) == 0;
  const uint32_t packs = aligned ? bytes / sizeof(uint4) : 0;
  Sums mine;
#pragma unroll 8
  for (uint32_t i = threadIdx.x; i < packs; i += blockDim.x) mine.add(reinterpret_cast<const uint4*>(from)[i], i);
  for (uint32_t i = packs * sizeof(uint4) + threadIdx.x; i < bytes; i += blockDim.x)
    mine.add({static_cast<uint8_t>(from[i]), 0, 0, 0}, i + bytes);
  const uint64_t total = total_of_block(mine.both());
  return total ? total : 1;
}

}  // namespace penstock::cuda

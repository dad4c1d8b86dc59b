// The blocks that the threads of a warp are at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/support/team.cuh"

namespace penstock::cuda {

/// A block of coefficients for each thread of a warp, in shared memory. Whole blocks go from there to the GPU's memory:
/// values that went there one by one, two bytes each, took three quarters of a batch's time.
class WarpBlocks {
 public:
  static constexpr uint32_t kUnits = 8;                            // of a block, 16 bytes each
  static constexpr uint32_t kBytes = 32 * kUnits * sizeof(uint4);  // of a warp

  __device__ explicit WarpBlocks(uint4* memory)
      : memory_(memory), own_(lane() * kUnits * sizeof(uint4) | lane() % kUnits * sizeof(uint4)) {
    for (uint32_t i = lane(); i < 32 * kUnits; i += 32) memory_[i] = uint4{};
    __syncwarp();
  }

  /// A value of the thread's own block, at one of 64 places.
  __device__ void set(uint32_t place, int value) const {
    // Threads often are at the same place: each has its units in an order of its own, else they were in one bank.
    *reinterpret_cast<int16_t*>(reinterpret_cast<char*>(memory_) + (own_ ^ place * sizeof(int16_t))) =
        static_cast<int16_t>(value);
  }

  /// By all threads: the blocks of those that are `done` with theirs go to their `number`s among all, and are 0 again.
  __device__ void write(bool done, int16_t* const& all, uint32_t number) const {
    const uint32_t ended = __ballot_sync(kAllLanes, done);
    if (ended == 0) return;
    __syncwarp();
    const uint32_t group = lane() / kUnits, unit = lane() % kUnits;  // eight threads are at a block, a unit each
    uint32_t owners = without_lowest(ended, group);
#pragma unroll 1
    for (int left = __popc(ended); left > 0; left -= kGroups) {
      const uint32_t owner = static_cast<uint32_t>(__ffs(static_cast<int>(owners)) - 1) % 32;
      const uint32_t to = __shfl_sync(kAllLanes, number, static_cast<int>(owner));
      if (owners != 0) {
        uint4& from = memory_[owner * kUnits + (unit ^ owner % kUnits)];
        __stcg(reinterpret_cast<uint4*>(all) + size_t{to} * kUnits + unit, from);
        from = uint4{};
      }
      if (left > kGroups) owners = without_lowest(owners, kGroups);
    }
    __syncwarp();
  }

 private:
  static constexpr int kGroups = 32 / kUnits;

  __device__ static uint32_t lane() { return threadIdx.x % 32; }
  __device__ static uint32_t without_lowest(uint32_t bits, uint32_t count) {
#pragma unroll
    for (uint32_t i = 0; i < kGroups; ++i) bits &= i < count ? bits - 1 : bits;
    return bits;
  }

  uint4* const memory_;
  const uint32_t own_;
};

}  // namespace penstock::cuda

// A GPU's threads as the host's, for kernels that are tested where there is no GPU: a thread each, barriers for those
// who wait for each other, and what CUDA has beyond C++ as far as those kernels use it. Sanitizers then see kernels,
// too.
#pragma once

#include <algorithm>
#include <array>
#include <barrier>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#define __device__
#define __host__
#define __global__ static
#define __launch_bounds__(...)
#define __shared__ static  // where one thread block runs at a time

using std::abs;
using std::max;
using std::min;

struct uint2 {
  uint32_t x, y;
};
struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct Index {
  uint32_t x = 0, y = 0;
};
inline thread_local Index threadIdx, blockIdx;
inline thread_local Index gridDim{1, 1};

namespace penstock::cuda::on_threads {

inline constexpr uint32_t kLanes = 32;

struct Warp {
  std::barrier<> all{kLanes};
  std::array<uint64_t, kLanes> values{};
};

struct Block {
  Block(uint32_t threads, size_t memory_bytes)
      : all(threads), warps(threads / kLanes), memory(memory_bytes / sizeof(uint4) + 1) {
    std::memset(static_cast<void*>(memory.data()), 0xA5, memory.size() * sizeof(uint4));  // as a GPU's: not zero
  }
  std::barrier<> all;
  std::vector<Warp> warps;
  std::vector<uint4> memory;
};

/// Thread blocks that see each other's shared memory.
struct Launch {
  Launch(uint32_t blocks_, uint32_t threads, size_t memory_bytes) : all(blocks_ * threads) {
    for (uint32_t i = 0; i < blocks_; ++i) blocks.push_back(std::make_unique<Block>(threads, memory_bytes));
  }
  std::barrier<> all;
  std::vector<std::unique_ptr<Block>> blocks;
};

inline thread_local Launch* launch = nullptr;
inline thread_local Block* own_block = nullptr;
inline Block& block() { return *own_block; }
inline Warp& warp() { return block().warps[threadIdx.x / kLanes]; }

/// What `of` makes of the values of all lanes.
template <class Of>
auto exchange(uint64_t value, Of&& of) {
  Warp& own = warp();
  own.values[threadIdx.x % kLanes] = value;
  own.all.arrive_and_wait();
  const auto result = of(own.values);
  own.all.arrive_and_wait();
  return result;
}

/// The value of lane `from`.
template <class T>
T shuffle(T value, uint32_t from) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = exchange(bits, [&](const auto& values) { return values[from % kLanes]; });
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Runs a kernel as `blocks` thread blocks of one team.
inline void run(uint32_t blocks, uint32_t threads, size_t memory_bytes, const std::function<void()>& kernel) {
  Launch here(blocks, threads, memory_bytes);
  std::vector<std::jthread> all;
  for (uint32_t b = 0; b < blocks; ++b)
    for (uint32_t t = 0; t < threads; ++t)
      all.emplace_back([&, b, t] {
        launch = &here;
        own_block = here.blocks[b].get();
        blockIdx.x = b;
        threadIdx.x = t;
        kernel();
      });
}

/// Runs a kernel as a grid of `columns` x `rows` thread blocks, one after the other: none waits for another.
inline void run_grid(uint32_t columns, uint32_t rows, uint32_t threads, const std::function<void()>& kernel) {
  for (uint32_t column = 0; column < columns; ++column)
    for (uint32_t row = 0; row < rows; ++row)
      run(1, threads, 0, [&] {
        gridDim = {columns, rows};
        blockIdx = {column, row};
        kernel();
      });
}

}  // namespace penstock::cuda::on_threads

inline void __syncthreads() { penstock::cuda::on_threads::block().all.arrive_and_wait(); }
inline void __syncwarp() { penstock::cuda::on_threads::warp().all.arrive_and_wait(); }
inline uint32_t __ballot_sync(uint32_t, bool mine) {
  return penstock::cuda::on_threads::exchange(mine ? 1 : 0, [](const auto& values) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < values.size(); ++i) bits |= static_cast<uint32_t>(values[i]) << i;
    return bits;
  });
}
inline bool __any_sync(uint32_t lanes, bool mine) { return __ballot_sync(lanes, mine) != 0; }
inline bool __all_sync(uint32_t lanes, bool mine) { return !__any_sync(lanes, !mine); }
template <class T>
T __shfl_sync(uint32_t, T value, int from) {
  return penstock::cuda::on_threads::shuffle(value, static_cast<uint32_t>(from));
}
template <class T>
T __shfl_up_sync(uint32_t, T value, uint32_t by) {
  const uint32_t lane = threadIdx.x % 32;
  return penstock::cuda::on_threads::shuffle(value, lane >= by ? lane - by : lane);
}
template <class T>
T __shfl_xor_sync(uint32_t, T value, uint32_t with) {
  return penstock::cuda::on_threads::shuffle(value, threadIdx.x % 32 ^ with);
}
inline uint32_t atomicCAS(uint32_t* at, uint32_t expected, uint32_t value) {
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
inline uint32_t atomicAdd(uint32_t* at, uint32_t value) { return __atomic_fetch_add(at, value, __ATOMIC_ACQ_REL); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __popc(uint32_t bits) { return std::popcount(bits); }
inline uint32_t __byte_perm(uint32_t low, uint32_t high, uint32_t which) {
  const uint64_t bytes = uint64_t{high} << 32 | low;
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i)
    result |= static_cast<uint32_t>(bytes >> (8 * (which >> (4 * i) & 7)) & 255) << (8 * i);
  return result;
}
inline uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t by) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) << (by % 32) >> 32);
}
inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t by) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> (by % 32));
}
inline uint32_t __vmaxu2(uint32_t a, uint32_t b) {
  constexpr uint32_t kHigh = 0xffff0000u, kLow = 0x0000ffffu;
  return max(a & kHigh, b & kHigh) | max(a & kLow, b & kLow);
}
inline uint32_t __float_as_uint(float x) { return std::bit_cast<uint32_t>(x); }
inline float __uint_as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t __umulhi(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }
/// The sum rounded down: a sum of doubles whose exponents are near each other is exact.
inline float __fadd_rd(float a, float b) {
  const double exact = double{a} + double{b};
  const auto near = static_cast<float>(exact);
  return double{near} > exact ? std::nextafterf(near, -HUGE_VALF) : near;
}
using std::fmaxf;
using std::fminf;
template <class T>
T __ldg(const T* at) {
  return *at;
}
/// A word may hold bytes around those that a kernel asks for, in the same page: sanitizers need not look.
__attribute__((no_sanitize("address"))) inline uint32_t __ldg(const uint32_t* at) { return *at; }
template <class T>
void __stcg(T* at, T value) {
  *at = value;
}

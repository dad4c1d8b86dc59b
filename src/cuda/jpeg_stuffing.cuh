// Scans freed of the zeros that are stuffed after each 0xFF: a warp takes a stretch of one, of which the host has
// counted where it goes.
#pragma once

#include <cstdint>

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/scan_job.h"
#include "codec/jpeg/stuffed_scan.h"
#include "cuda/team.cuh"

namespace penstock::cuda {

using codec::jpeg::kStretch;
using codec::jpeg::ScanJob;

inline constexpr unsigned kStuffingThreads = 256, kStuffingWarps = kStuffingThreads / 32;
inline constexpr uint32_t kWordBytes = sizeof(uint32_t), kEachByte = 0x80808080;

/// The highest bit of each byte of the word that is zero.
__device__ inline uint32_t zero_bytes(uint32_t word) {
  return ~(((word & ~kEachByte) + ~kEachByte) | word | ~kEachByte);
}

/// Likewise of each of the first bytes.
__device__ inline uint32_t first_bytes(uint32_t count) {
  return count >= kWordBytes ? kEachByte : count == 0 ? 0 : kEachByte >> (8 * (kWordBytes - count));
}

/// A warp's bytes on their way to memory, in words where those are its own.
class WarpBytes {
 public:
  static constexpr uint32_t kWindow = 34;  // words of shared memory

  __device__ WarpBytes(uint32_t* window, uint32_t* out, uint32_t to)
      : window_(window), out_(out + to / kWordBytes), others_(to % kWordBytes), held_(others_) {}

  /// All bytes of the lanes' words.
  __device__ void add_all(uint32_t word) {
    const uint32_t before = __shfl_up_sync(kAllLanes, word, 1);
    send(__funnelshift_l(lane() == 0 ? last_ : before, word, 8 * held_), 32);
    last_ = __shfl_sync(kAllLanes, word, 31);
  }
  /// Those that are `kept`, a bit for each as zero_bytes() has it.
  __device__ void add(uint32_t word, uint32_t kept) {
    uint32_t before = 0, all = 0;
#pragma unroll
    for (uint32_t bit = 7; bit < 32; bit += 8) {
      const uint32_t lanes = __ballot_sync(kAllLanes, (kept >> bit & 1) != 0);
      before += __popc(lanes & ((1U << lane()) - 1));
      all += __popc(lanes);
    }
    auto* const bytes = reinterpret_cast<uint8_t*>(window_);
    if (lane() < held_) bytes[lane()] = held_byte(lane());
    uint8_t* next = bytes + held_ + before;
#pragma unroll
    for (uint32_t bit = 0; bit < 32; bit += 8)
      if (kept >> bit & 0x80) *next++ = static_cast<uint8_t>(word >> bit);
    __syncwarp();
    const uint32_t whole = (held_ + all) / kWordBytes;
    held_ = (held_ + all) % kWordBytes;
    send(window_[lane()], whole);
    last_ = window_[whole] << (8 * (kWordBytes - held_) % 32);
    __syncwarp();
  }
  /// The rest, which is no whole word.
  __device__ void finish() {
    if (lane() >= others_ && lane() < held_) reinterpret_cast<uint8_t*>(out_)[lane()] = held_byte(lane());
  }

 private:
  __device__ static uint32_t lane() { return threadIdx.x % 32; }
  __device__ uint8_t held_byte(uint32_t i) const {
    return static_cast<uint8_t>(last_ >> (8 * (kWordBytes - held_ + i)));
  }
  __device__ void send(uint32_t word, uint32_t count) {
    if (count == 0) return;
    if (lane() == 0 && others_ > 0) {
      for (uint32_t i = others_; i < kWordBytes; ++i)
        reinterpret_cast<uint8_t*>(out_)[i] = static_cast<uint8_t>(word >> (8 * i));
    } else if (lane() < count) {
      out_[lane()] = word;
    }
    others_ = 0;
    out_ += count;
  }

  uint32_t* const window_;
  uint32_t* out_;
  uint32_t others_;    // bytes at the beginning that are another warp's
  uint32_t held_;      // bytes for the next word, with those
  uint32_t last_ = 0;  // whose last ones they are
};

__device__ inline void squeeze(const ScanJob& job, uint32_t stretch, uint32_t* window) {
  constexpr uint32_t kStretchWords = kStretch / kWordBytes, kAtOnce = 8;
  const uint32_t lane = threadIdx.x % 32, words = (job.stuffed_bytes + kWordBytes - 1) / kWordBytes;
  const uint32_t begin = stretch * kStretchWords, end = min(begin + kStretchWords, words);
  WarpBytes bytes(window, job.words, job.kept_before[stretch]);
  uint32_t last = begin > 0 ? __ldg(job.stuffed + begin - 1) : 0;
  for (uint32_t first = begin; first < end; first += 32 * kAtOnce) {
    uint32_t loaded[kAtOnce];  // all of them before the first is looked at
#pragma unroll
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      const uint32_t at = first + 32 * i + lane;
      loaded[i] = at < end ? __ldg(job.stuffed + at) : 0;
    }
#pragma unroll
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      const uint32_t word = loaded[i], at = first + 32 * i + lane;
      const uint32_t neighbour = __shfl_up_sync(kAllLanes, word, 1), before = lane == 0 ? last : neighbour;
      const uint32_t there = first_bytes(max(job.stuffed_bytes, at * kWordBytes) - at * kWordBytes);
      const uint32_t kept = there & ~(zero_bytes(word) & __funnelshift_l(zero_bytes(~before), zero_bytes(~word), 8));
      if (__any_sync(kAllLanes, kept != kEachByte))
        bytes.add(word, kept);
      else
        bytes.add_all(word);
      last = __shfl_sync(kAllLanes, word, 31);
    }
  }
  bytes.finish();
}

__global__ void __launch_bounds__(kStuffingThreads) stuffing_kernel(const ScanJob* jobs) {
  __shared__ uint32_t windows[kStuffingWarps][WarpBytes::kWindow];
  const ScanJob& job = jobs[blockIdx.y];
  if (!job.stuffed) return;
  const auto stretches = static_cast<uint32_t>((job.stuffed_bytes + kStretch - 1) / kStretch);
  const uint32_t warp = threadIdx.x / 32;
  for (uint32_t i = blockIdx.x * kStuffingWarps + warp; i < stretches; i += gridDim.x * kStuffingWarps)
    squeeze(job, i, windows[warp]);
  if (blockIdx.x == 0 && threadIdx.x < codec::jpeg::Bitstream::kPadding)
    reinterpret_cast<uint8_t*>(job.words)[job.kept_before[stretches] + threadIdx.x] = 0;
}

}  // namespace penstock::cuda

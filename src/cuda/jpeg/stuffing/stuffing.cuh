// Scans freed of the zeros that are stuffed after each 0xFF: a thread block takes one, each warp a stretch of it. First
// it counts what is left of that, which tells where stretches go and how long pieces are; the host does not look.
#pragma once

#include <cstdint>

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/scan_job.h"
#include "cuda/support/team.cuh"

namespace penstock::cuda {

using codec::jpeg::ScanJob;
using codec::jpeg::Segment;

inline constexpr unsigned kStuffingThreads = 512, kStuffingWarps = kStuffingThreads / 32;
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

/// A scan on its way through a thread block.
class Squeeze {
 public:
  /// What is left of a stretch, or of a scan.
  struct Left {
    uint32_t bytes;
    uint32_t unsound;  ///< not 0: a byte other than a zero is behind a 0xFF
  };
  struct Shared {
    uint32_t windows[kStuffingWarps][WarpBytes::kWindow];
    Left left[kStuffingWarps];
  };

  __device__ Squeeze(const ScanJob& job, Shared& shared) : job_(job), shared_(shared) {
    const uint32_t words = (job.stuffed_bytes + kWordBytes - 1) / kWordBytes;
    const uint32_t turns = (words + kTurnWords - 1) / kTurnWords;
    const uint32_t each = (turns + kStuffingWarps - 1) / kStuffingWarps * kTurnWords;
    begin_ = min(warp() * each, words);
    end_ = min(begin_ + each, words);
  }

  /// All of it. @return what is left
  __device__ Left run() {
    count();
    __syncthreads();
    Left all{};
    uint32_t before = 0;
    for (uint32_t w = 0; w < kStuffingWarps; ++w) {
      if (w == warp()) before = all.bytes;
      all.bytes += shared_.left[w].bytes;
      all.unsound |= shared_.left[w].unsound;
    }
    write(before);
    return all;
  }

 private:
  static constexpr uint32_t kAtOnce = 8, kTurnWords = 32 * kAtOnce;

  __device__ static uint32_t lane() { return threadIdx.x % 32; }
  __device__ static uint32_t warp() { return threadIdx.x / 32; }

  __device__ void count() {
    Left mine{};
    for_each_word([&](uint32_t, uint32_t kept, uint32_t unsound) {
      mine.bytes += __popc(kept);
      mine.unsound |= unsound;
    });
    for (uint32_t step = 16; step > 0; step /= 2) {
      mine.bytes += __shfl_xor_sync(kAllLanes, mine.bytes, step);
      mine.unsound |= __shfl_xor_sync(kAllLanes, mine.unsound, step);
    }
    if (lane() == 0) shared_.left[warp()] = mine;
  }
  __device__ void write(uint32_t to) {
    WarpBytes bytes(shared_.windows[warp()], job_.words, to);
    for_each_word([&](uint32_t word, uint32_t kept, uint32_t) {
      if (__any_sync(kAllLanes, kept != kEachByte))
        bytes.add(word, kept);
      else
        bytes.add_all(word);
    });
    bytes.finish();
  }
  /// Calls fn(word, kept, unsound) for the stretch's words, 32 at a time; a bit for each byte, as zero_bytes() has it.
  template <class Fn>
  __device__ void for_each_word(Fn&& fn) const {
    uint32_t last = begin_ > 0 && begin_ < end_ ? __ldg(job_.stuffed + begin_ - 1) : 0;
    for (uint32_t first = begin_; first < end_; first += kTurnWords) {
      uint32_t loaded[kAtOnce];  // all of them before the first is looked at
#pragma unroll
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        const uint32_t at = first + 32 * i + lane();
        loaded[i] = at < end_ ? __ldg(job_.stuffed + at) : 0;
      }
#pragma unroll
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        const uint32_t word = loaded[i], byte = (first + 32 * i + lane()) * kWordBytes;
        const uint32_t neighbour = __shfl_up_sync(kAllLanes, word, 1), before = lane() == 0 ? last : neighbour;
        const uint32_t there = first_bytes(max(job_.stuffed_bytes, byte) - byte), zeros = zero_bytes(word);
        const uint32_t behind = there & __funnelshift_l(zero_bytes(~before), zero_bytes(~word), 8);
        fn(word, there & ~(zeros & behind), behind & ~zeros);
        last = __shfl_sync(kAllLanes, word, 31);
      }
    }
  }

  const ScanJob& job_;
  Shared& shared_;
  uint32_t begin_, end_;  // of the warp's stretch, in words
};

__global__ void __launch_bounds__(kStuffingThreads) stuffing_kernel(ScanJob* jobs) {
  __shared__ Squeeze::Shared shared;
  ScanJob& job = jobs[blockIdx.x];
  if (!job.stuffed) return;
  const auto [bytes, unsound] = Squeeze(job, shared).run();
  if (threadIdx.x < codec::jpeg::Bitstream::kPadding) reinterpret_cast<uint8_t*>(job.words)[bytes + threadIdx.x] = 0;
  if (threadIdx.x > 0) return;
  if (unsound) *job.refused = 1;
  const uint32_t bits = 8 * bytes;
  *job.counted = Segment{.end = bits, .blocks = job.blocks};
  job.piece_bits = ScanJob::piece_bits_of(bits, 1, ScanJob::kThreads);
  job.pieces = ScanJob::pieces_of(bits, job.piece_bits);
}

}  // namespace penstock::cuda

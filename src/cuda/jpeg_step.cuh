// Threads that begin anywhere in a scan fall into step with its true symbols; then it is known where blocks lie. See
// codec/jpeg/pieces.h for the idea.
#pragma once

#include <cstdint>

#include "codec/jpeg/pieces.h"
#include "cuda/jpeg_symbols.cuh"
#include "cuda/team.cuh"

namespace penstock::cuda {

using codec::jpeg::kMaxMcuBlocks;
using codec::jpeg::Segment;

// Pictures fall into step within a few pieces, with subsampled chroma within 40; in a team, pieces are shorter. A
// crafted file must not keep the batch.
inline constexpr int kMaxRounds = 96;

/// How a piece was left, and how many blocks ended in it. Both words begin with the number of pieces through which the
/// way to it led: who came from further up is nearer to the truth, and so the greater word stays. (With one word of 64
/// bits a file of the tests came out wrong: such maxima seemed to get lost between the thread blocks of a cluster.)
class Leaf {
 public:
  Leaf() = default;
  __device__ Leaf(const Cursor& at, uint32_t end, uint32_t rounds)
      : state_(rounds << 16 | (at.bit - end) << 10 | at.position << 4 | at.in_mcu), count_(rounds << 20 | at.blocks) {}
  __device__ uint32_t rounds() const { return state_ >> 16; }
  __device__ uint32_t blocks() const { return count_ & 0xFFFFF; }
  __device__ bool in_step_with(const Leaf& other) const { return (state_ & 0xFFFF) == (other.state_ & 0xFFFF); }
  /// Where one goes on who knows where the piece ends.
  __device__ Cursor after(uint32_t end) const {
    return {.bit = end + (state_ >> 10 & 63), .position = state_ >> 4 & 63, .in_mcu = state_ & 15};
  }
  /// Leaves the one to which the longer way led. @return what was there
  __device__ Leaf replace(const Leaf& by) {
    Leaf before;
    before.count_ = atomicMax(&count_, by.count_);
    before.state_ = atomicMax(&state_, by.state_);
    return before;
  }

 private:
  uint32_t state_, count_;
};
static_assert(kMaxMcuBlocks <= 16 && kMaxRounds * ScanJob::kMostTeam < 1 << 12);

/// What a thread block knows of its pieces, in shared memory.
struct Steps {
  Leaf leaves[kScanThreads];
  uint32_t blocks_before[kScanThreads + 1];
  uint32_t warp_sums[kScanThreads / 32];
  uint32_t blocks_of[ScanJob::kMostTeam];  // that end in the pieces of each thread block
  bool lost;                               // somebody did not fall into step
};

/// A thread's piece, and the part of the scan in which it lies.
struct Piece {
  Segment segment;
  uint32_t number = 0, pieces = 0;  // in the segment

  __device__ uint32_t begin(const ScanJob& job) const { return segment.begin + number * job.piece_bits; }
  __device__ uint32_t end_of(uint32_t other, const ScanJob& job) const {
    return other + 1 == pieces ? segment.end : segment.begin + (other + 1) * job.piece_bits;
  }
};

__device__ inline Piece find_piece(const ScanJob& job, uint32_t t) {
  uint32_t low = 0, high = job.segment_count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (job.segments[middle].first_piece <= t ? low : high) = middle;
  }
  const uint32_t end = low + 1 < job.segment_count ? job.segments[low + 1].first_piece : job.pieces;
  const Segment segment = job.segments[low];
  return {segment, t - segment.first_piece, end - segment.first_piece};
}

/// Goes on into the pieces behind one's own, until in step with what was found there, or with one who came from further
/// up and goes on in one's place. Nobody waits for others: a barrier after each piece took as long as decoding it.
/// @return false where that takes too long
__device__ inline bool go_on(const Team& team, const ScanJob& job, const Piece& piece, Cursor at,
                             const SymbolTables& tables, Steps& steps) {
  const uint32_t t = team.rank() * kScanThreads + threadIdx.x;
  for (uint32_t round = 1; piece.number + round < piece.pieces; ++round) {
    if (round > kMaxRounds * team.size()) return false;
    const uint32_t end = piece.end_of(piece.number + round, job);
    at.blocks = 0;
    follow(at, end, job, tables);
    const Leaf mine(at, end, round);
    const Leaf before = team.at((t + round) / kScanThreads, &steps.leaves[(t + round) % kScanThreads])->replace(mine);
    if (before.rounds() > round || before.in_step_with(mine)) return true;
  }
  return true;
}

/// Leaves in `leaves` how each piece is left, and how many blocks end in it, by one who began it rightly.
/// @return false, for all threads, where that takes too long
__device__ inline bool fall_into_step(const Team& team, const ScanJob& job, const Piece& piece, bool mine,
                                      const SymbolTables& tables, Steps& steps) {
  Cursor at{.bit = mine ? piece.begin(job) : 0};
  if (mine) {
    const uint32_t end = piece.end_of(piece.number, job);
    follow(at, end, job, tables);
    steps.leaves[threadIdx.x] = Leaf(at, end, 0);
  }
  if (threadIdx.x == 0) steps.lost = false;
  team.sync();
  if (mine && !go_on(team, job, piece, at, tables, steps))
    for (uint32_t i = 0; i < team.size(); ++i) *team.at(i, &steps.lost) = true;
  team.sync();
  return !steps.lost;
}

/// blocks_before[t]: blocks of the file that end before piece t, all segments counted.
__device__ inline void sum_blocks(const Team& team, bool mine, Steps& steps) {
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  uint32_t sum = mine ? steps.leaves[t].blocks() : 0;
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync(kAllLanes, sum, d);
    if (lane >= d) sum += before;
  }
  if (lane == 31) steps.warp_sums[warp] = sum;
  __syncthreads();
  for (uint32_t w = 0; w < warp; ++w) sum += steps.warp_sums[w];
  if (t == kScanThreads - 1)
    for (uint32_t i = 0; i < team.size(); ++i) *team.at(i, &steps.blocks_of[team.rank()]) = sum;
  team.sync();
  uint32_t before = 0;
  for (uint32_t i = 0; i < team.rank(); ++i) before += steps.blocks_of[i];
  steps.blocks_before[t + 1] = before + sum;
  if (t == 0) steps.blocks_before[0] = before;
  team.sync();
}

}  // namespace penstock::cuda

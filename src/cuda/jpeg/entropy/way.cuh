// Which of the leaves that threads have seen are the true ones: those on the way from the first. Then it is known where
// pieces begin, and where their blocks lie.
#pragma once

#include <cstdint>

#include "cuda/jpeg/entropy/step.cuh"
#include "cuda/support/team.cuh"

namespace penstock::cuda {

inline constexpr uint32_t kScanWarps = kScanThreads / 32;

/// What a thread block knows of the way, in shared memory.
struct Way {
  uint64_t ways[kScanWarps];                 // of each warp's last piece, from before the thread block's first
  uint32_t entry;                            // the true leaf of the piece before the thread block's first
  uint32_t blocks_before[kScanThreads + 1];  // of the file, that end before each piece, all segments counted
  uint32_t warp_sums[kScanWarps];
  uint32_t blocks_of[ScanJob::kMostTeam];  // that end in the pieces of each thread block
};

/// How a piece begins.
struct Start {
  bool known = false;
  Cursor at;
  uint32_t blocks = 0;  // that end in it
};

/// For each lane the ways through all pieces of the lanes up to it.
__device__ inline Ways sum_ways(Ways own) {
  for (uint32_t d = 1; d < 32; d *= 2) {
    const auto before = Ways::from_bits(__shfl_up_sync(kAllLanes, own.bits(), d));
    if (threadIdx.x % 32 >= d) own = before.then(own);
  }
  return own;
}

/// The ways into a piece, from the leaves of the one before.
__device__ inline Ways ways_into(const Piece& piece, Seat before, const Nodes& nodes) {
  if (piece.number == 0) return Ways::all_to(0);  // its beginning was no guess
  Ways ways;
  for (uint32_t i = 0; i < nodes.most(); ++i) ways.lead(i, nodes.at(before, i).to());
  return ways;
}

/// The true leaf of the piece before the thread block's first.
__device__ inline void find_entry(const Team& team, Way& way) {
  const uint32_t lane = threadIdx.x % 32;
  const uint64_t bits = lane < team.rank() ? team.at(lane, way.ways)[kScanWarps - 1] : 0;
  uint32_t leaf = 0;
  for (uint32_t i = 0; i < team.rank(); ++i)
    leaf = Ways::from_bits(__shfl_sync(kAllLanes, bits, static_cast<int>(i)))[leaf];
  if (lane == 0) way.entry = leaf;
}

/// @param blocks those that end in the piece if it begins as its thread did
__device__ inline Start find_start(const Team& team, const ScanJob& job, const Piece& piece, bool mine, uint32_t blocks,
                                   const Nodes& nodes, Way& way) {
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Seat seat_before = Seat{team.rank(), threadIdx.x}.before(share_of(team, job.pieces));
  const Ways own = mine ? ways_into(piece, seat_before, nodes) : Ways(), sum = sum_ways(own);
  if (lane == 31) way.ways[warp] = sum.bits();
  __syncthreads();
  if (warp == 0) {
    const Ways all = sum_ways(lane < kScanWarps ? Ways::from_bits(way.ways[lane]) : Ways());
    if (lane < kScanWarps) way.ways[lane] = all.bits();
  }
  team.sync();
  if (warp == 0) find_entry(team, way);
  __syncthreads();
  uint32_t leaf = way.entry;
  if (warp > 0) leaf = Ways::from_bits(way.ways[warp - 1])[leaf];
  const auto before = Ways::from_bits(__shfl_up_sync(kAllLanes, sum.bits(), 1));
  if (lane > 0) leaf = before[leaf];
  if (!mine) return {};
  if (piece.number == 0) return {true, {.bit = piece.segment.begin}, blocks};
  if (own[leaf] == Ways::kNowhere) return {};
  const Node node = nodes.at(seat_before, leaf);
  return {true, Leaf(node.leaf).after(piece.begin(job)), node.blocks()};
}

/// `blocks`: that end in the thread's piece.
__device__ inline void sum_blocks(const Team& team, uint32_t blocks, Way& way) {
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  uint32_t sum = blocks;
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync(kAllLanes, sum, d);
    if (lane >= d) sum += before;
  }
  if (lane == 31) way.warp_sums[warp] = sum;
  __syncthreads();
  for (uint32_t w = 0; w < warp; ++w) sum += way.warp_sums[w];
  if (t == kScanThreads - 1)
    for (uint32_t i = 0; i < team.size(); ++i) *team.at(i, &way.blocks_of[team.rank()]) = sum;
  team.sync();
  uint32_t before = 0;
  for (uint32_t i = 0; i < team.rank(); ++i) before += way.blocks_of[i];
  way.blocks_before[t + 1] = before + sum;
  if (t == 0) way.blocks_before[0] = before;
  team.sync();
}

}  // namespace penstock::cuda

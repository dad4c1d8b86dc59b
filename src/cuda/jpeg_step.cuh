// Threads that begin anywhere in a scan fall into step with its true symbols, or with others who began elsewhere. See
// codec/jpeg/pieces.h for the idea.
#pragma once

#include <cstdint>

#include "codec/jpeg/pieces.h"
#include "cuda/jpeg_symbols.cuh"
#include "cuda/load.cuh"
#include "cuda/team.cuh"

namespace penstock::cuda {

using codec::jpeg::kMaxMcuBlocks;
using codec::jpeg::Leaf;
using codec::jpeg::Segment;
using codec::jpeg::Ways;

// Pictures fall into step within a few pieces, with subsampled chroma within 30; in a team, pieces are shorter. A
// crafted file must not keep the batch.
inline constexpr uint32_t kMaxRounds = 96;

/// A leaf of a piece, and where it leads.
struct Node {
  static constexpr uint32_t kFree = ~0U;
  uint32_t leaf = kFree;
  uint32_t way = Ways::kNowhere;  ///< blocks that end in the next piece, times 16, and the leaf by which they leave it

  __device__ uint32_t blocks() const { return way >> 4; }
  __device__ uint32_t to() const { return way & 15; }
};
static_assert(kMaxMcuBlocks <= 16);  // a leaf has four bits for it

/// The leaves that a team has seen of its pieces, each thread block's in its shared memory. Photographs have up to 13
/// in pieces of 256 bits, up to 6 in those of 1,024, up to 4 in those of 2,048.
class Nodes {
 public:
  static constexpr uint32_t kAlone = 6;  // where a thread block's memory is 64 KB (compute capability 7.5)
  static __host__ __device__ constexpr uint32_t most(uint32_t team) { return team > 1 ? Ways::kMostLeaves : kAlone; }

  __device__ Nodes(const Team& team, Node* memory) : team_(team), memory_(memory), most_(most(team.size())) {
    for (uint32_t i = 0; i < most_; ++i) memory_[i * kScanThreads + threadIdx.x] = Node();
  }
  __device__ uint32_t most() const { return most_; }
  __device__ Node& at(uint32_t piece, uint32_t number) const {
    return *team_.at(piece / kScanThreads, memory_ + number * kScanThreads + piece % kScanThreads);
  }
  static constexpr uint32_t kAtOnce = 4;
  struct Found {
    uint32_t number;
    bool known;  ///< somebody was here, or there is no room
  };
  __device__ Found find(uint32_t piece, Leaf leaf) const {
    for (uint32_t first = 0; first < most_; first += kAtOnce) {
      uint32_t seen[kAtOnce];  // first with loads that need not wait for each other: there may be others' before
#pragma unroll
      for (uint32_t i = 0; i < kAtOnce; ++i) seen[i] = load_now(at(piece, min(first + i, most_ - 1)).leaf);
#pragma unroll
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        if (first + i == most_) break;
        if (seen[i] == Node::kFree) seen[i] = atomicCAS(&at(piece, first + i).leaf, Node::kFree, leaf.state());
        if (seen[i] == Node::kFree || seen[i] == leaf.state()) return {first + i, seen[i] != Node::kFree};
      }
    }
    return {Ways::kNowhere, true};
  }

 private:
  const Team& team_;
  Node* const memory_;
  const uint32_t most_;
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

/// Decodes piece `t` from its first bit, then goes on into those behind it as far as nobody was there in the same
/// state. Nobody waits for others: a barrier after each piece took as long as decoding it. Nobody's way is given up for
/// that of who comes from further up: it may be the true one before the other is.
/// @return the blocks that end in piece `t`
__device__ inline uint32_t fall_into_step(const Team& team, const ScanJob& job, const Piece& piece, bool mine,
                                          const SymbolTables& tables, const Nodes& nodes) {
  const uint32_t t = team.rank() * kScanThreads + threadIdx.x;
  const uint32_t begin = mine ? piece.begin(job) : 0;
  Reader reader({.bit = begin}, begin, job, tables);
  if (mine) {
    const uint32_t end = piece.end_of(piece.number, job);
    reader.pass(end);
    nodes.at(t, 0).leaf = Leaf(reader.walk.cursor(), end).state();
  }
  const uint32_t blocks = reader.walk.blocks;
  team.sync();
  uint32_t from = 0;
  for (uint32_t round = 1; mine && piece.number + round < piece.pieces; ++round) {
    if (round > kMaxRounds * team.size()) break;
    const uint32_t end = piece.end_of(piece.number + round, job);
    reader.walk.blocks = 0;
    reader.pass(end);
    const auto [to, known] = nodes.find(t + round, Leaf(reader.walk.cursor(), end));
    nodes.at(t + round - 1, from).way = reader.walk.blocks << 4 | to;
    if (known) break;
    from = to;
  }
  team.sync();
  return blocks;
}

}  // namespace penstock::cuda

// Threads that begin anywhere in a scan fall into step with its true symbols, or with threads that began elsewhere. See
// codec/jpeg/pieces.h for the idea.
#pragma once

#include <cstdint>

#include "codec/jpeg/pieces.h"
#include "cuda/jpeg/entropy/symbols.cuh"
#include "cuda/support/load.cuh"
#include "cuda/support/team.cuh"

namespace penstock::cuda {

using codec::jpeg::kMaxMcuBlocks;
using codec::jpeg::Leaf;
using codec::jpeg::Segment;
using codec::jpeg::Ways;

/// How many pieces behind its own a thread may go through. Pictures fall into step within a few, with subsampled chroma
/// within 30; in a team, pieces are shorter. A crafted file must not keep the batch: the pieces of 64 MB have a million
/// bits each, and a symbol may have one.
__host__ __device__ constexpr uint32_t most_rounds(uint32_t team, uint32_t piece_bits) {
  const uint32_t in_pieces = 96 * team, in_bits = 1 + (1 << 20) / piece_bits;
  return in_pieces < in_bits ? in_pieces : in_bits;
}

/// A leaf of a piece, and where it leads.
struct Node {
  static constexpr uint32_t kFree = ~0U;
  uint32_t leaf = kFree;
  uint32_t way = Ways::kNowhere;  ///< blocks that end in the next piece, times 16, and the leaf by which they leave it

  __device__ uint32_t blocks() const { return way >> 4; }
  __device__ uint32_t to() const { return way & 15; }
};
static_assert(kMaxMcuBlocks <= 16);  // a leaf has four bits for it

/// Pieces of a thread block, whose threads have one each: as many for all of a team, as multiprocessors with more warps
/// take longer for each.
__device__ inline uint32_t share_of(const Team& team, uint32_t pieces) {
  return (pieces + team.size() - 1) >> (__ffs(static_cast<int>(team.size())) - 1);
}

/// A thread's place in its team, and so a piece's.
struct Seat {
  uint32_t rank, index;

  __device__ Seat next(uint32_t share) const { return index + 1 == share ? Seat{rank + 1, 0} : Seat{rank, index + 1}; }
  __device__ Seat before(uint32_t share) const {
    return index == 0 ? Seat{rank - 1, share - 1} : Seat{rank, index - 1};
  }
};

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
  __device__ Node& at(Seat seat, uint32_t number) const {
    return *team_.at(seat.rank, memory_ + number * kScanThreads + seat.index);
  }
  struct Found {
    uint32_t number;
    bool known;  ///< another thread was here, or there is no room
  };
  __device__ Found find(Seat seat, Leaf leaf) const {
    Node* const nodes = &at(seat, 0);
    const auto state_of = [&](uint32_t number) { return &nodes[number * kScanThreads].leaf; };
    for (uint32_t first = 0; first < most_; first += kAtOnce) {
      uint32_t seen[kAtOnce];  // first with loads that need not wait for each other: there may be others' before
#pragma unroll
      for (uint32_t i = 0; i < kAtOnce; ++i) seen[i] = load_now(*state_of(min(first + i, most_ - 1)));
      uint32_t number = kAtOnce, there = 0;  // the first that is this leaf or free, so that all threads ask at once
#pragma unroll
      for (uint32_t i = kAtOnce; i-- > 0;)
        if (seen[i] == Node::kFree || seen[i] == leaf.state()) number = i, there = seen[i];
      for (; number < kAtOnce && first + number < most_; ++number) {
        if (there != leaf.state()) there = atomicCAS(state_of(first + number), Node::kFree, leaf.state());
        if (there == Node::kFree || there == leaf.state()) return {first + number, there != Node::kFree};
        // Another leaf was quicker, and the next place is what it was or another's by now.
      }
    }
    return {Ways::kNowhere, true};
  }

 private:
  static constexpr uint32_t kAtOnce = 4;
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

/// The number of the thread's piece, if it has one.
__device__ inline uint32_t piece_number(const Team& team, const ScanJob& job) {
  return team.rank() * share_of(team, job.pieces) + threadIdx.x;
}
__device__ inline bool has_piece(const Team& team, const ScanJob& job) {
  return threadIdx.x < share_of(team, job.pieces) && piece_number(team, job) < job.pieces;
}
__device__ inline Piece find_piece(const Team& team, const ScanJob& job) {
  const uint32_t t = piece_number(team, job);
  uint32_t low = 0, high = job.segment_count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (job.segments[middle].first_piece <= t ? low : high) = middle;
  }
  const uint32_t end = low + 1 < job.segment_count ? job.segments[low + 1].first_piece : job.pieces;
  const Segment segment = job.segments[low];
  return {segment, t - segment.first_piece, end - segment.first_piece};
}

/// Decodes the thread's piece from its first bit, then goes on into those behind it as far as no thread was there in
/// the same state. No thread waits for others: a barrier after each piece took as long as decoding it. A thread does
/// not give up its path for that of a thread from an earlier piece: its own may be the true one first.
/// @return the blocks that end in the piece
__device__ inline uint32_t fall_into_step(const Team& team, const ScanJob& job, const Piece& piece, bool mine,
                                          const SymbolTables& tables, const Nodes& nodes) {
  const uint32_t share = share_of(team, job.pieces), begin = mine ? piece.begin(job) : 0;
  Seat seat{team.rank(), threadIdx.x};
  Reader reader({.bit = begin}, begin, job, tables);
  if (mine) {
    const uint32_t end = piece.end_of(piece.number, job);
    reader.pass(end);
    nodes.at(seat, 0).leaf = Leaf(reader.walk.cursor(), end).state();
  }
  const uint32_t blocks = reader.walk.blocks;
  team.sync();
  uint32_t from = 0;
  const uint32_t rounds = mine ? min(piece.pieces - piece.number - 1, most_rounds(team.size(), job.piece_bits)) : 0;
  for (uint32_t round = 1; round <= rounds; ++round) {
    const uint32_t end = piece.end_of(piece.number + round, job);
    reader.walk.blocks = 0;
    reader.pass(end);
    const Seat next = seat.next(share);
    const auto [to, known] = nodes.find(next, Leaf(reader.walk.cursor(), end));
    nodes.at(seat, from).way = reader.walk.blocks << 4 | to;
    if (known) break;
    from = to;
    seat = next;
  }
  team.sync();
  return blocks;
}

}  // namespace penstock::cuda

// How far a run has come, in a form that also makes sense to another number of ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock::order {

/// A stretch of one epoch during which `num_shards` ranks took `taken` samples each.
struct Segment {
  int64_t num_shards = 1;
  int64_t taken = 0;

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// What has been seen: every epoch before `epoch`, and of that one the segments, one after the other. Each segment took
/// an equal number from the front of each of its shards; what it left, in order, is what the next one split anew.
/// For EpochEnd::kContinue, where epochs do not end together on all ranks, `epoch` stays 0 and one segment counts all.
struct Progress {
  uint64_t epoch = 0;
  std::vector<Segment> segments;

  friend bool operator==(const Progress&, const Progress&) = default;
};

/// epoch, then num_shards and taken of each segment.
std::vector<int64_t> to_integers(const Progress& progress);
/// The inverse. @throws ArgumentError for a list that to_integers does not make.
Progress progress_from(std::span<const int64_t> integers);

}  // namespace penstock::order

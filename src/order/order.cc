#include "order/order.h"

#include <algorithm>

#include "core/check.h"
#include "core/random.h"
#include "order/buffer.h"

namespace penstock::order {
namespace {

// Samples in a data set or taken by one rank, and ranks: beyond any real run; keeps every product within 63 bits.
constexpr int64_t kMaxSize = int64_t{1} << 42;
constexpr int64_t kMaxShards = int64_t{1} << 20;
constexpr int64_t kMaxBuffer = int64_t{1} << 24;
constexpr uint64_t kListKey = 0x6c697374;  // of permuted lists, which are the same whatever the seed

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Where in the unshuffled order a row of a batch lies.
struct Place {
  uint64_t epoch = 0;
  int64_t position = -1;  ///< -1 where the shard is empty
  bool valid = false;
};

/// What is left of an epoch to the present number of ranks.
struct Rest {
  int64_t size = 0;                 ///< positions that the earlier segments left, to be split over the ranks
  int64_t taken = 0;                ///< samples that each of the present ranks has taken of its part
  std::span<const Segment> before;  ///< segments with other numbers of ranks
};

/// A last segment by the present number of ranks is no new split: the ranks go on within their parts.
Rest first_epoch(const Spec& spec) {
  Rest rest = {spec.size, 0, spec.start.segments};
  if (!rest.before.empty() && rest.before.back().num_shards == spec.num_shards) {
    rest.taken = rest.before.back().taken;
    rest.before = rest.before.first(rest.before.size() - 1);
  }
  for (const Segment& segment : rest.before) rest.size -= segment.num_shards * segment.taken;
  return rest;
}

/// The m-th of the positions that the segments left, as a position of the whole epoch. When S shards of n samples each
/// lose t from the front, shard k keeps floor(n (k + 1) / S) - floor(n k / S) - t samples; as t is whole, what is left
/// is split exactly like n - S t samples, so that both directions of the map are one division.
int64_t position_of_rest(const Rest& rest, int64_t m) {
  int64_t size = rest.size;
  for (size_t i = rest.before.size(); i-- > 0;) {
    const auto [num_shards, taken] = rest.before[i];
    const int64_t shard = shard_of(size, num_shards, m);
    m += (shard + 1) * taken;
    size += num_shards * taken;
  }
  return m;
}

/// Steps that all ranks still take.
int64_t steps_left(const Spec& spec, const Rest& rest) {
  if (spec.epoch_end == EpochEnd::kDrop) return (rest.size / spec.num_shards - rest.taken) / spec.batch;
  return divide_up(divide_up(rest.size, spec.num_shards) - rest.taken, spec.batch);
}

/// A step of a run whose epochs begin at the same step on all ranks.
struct Moment {
  uint64_t epoch = 0;
  int64_t step = 0;  ///< since the epoch or, in the first one, the run began
  Rest rest;
};

Moment moment_of(const Spec& spec, int64_t step) {
  const Rest begun = first_epoch(spec), whole = {spec.size, 0, {}};
  const int64_t first = steps_left(spec, begun);
  if (step < first) return {spec.start.epoch, step, begun};
  const int64_t each = steps_left(spec, whole);
  return {spec.start.epoch + 1 + static_cast<uint64_t>((step - first) / each), (step - first) % each, whole};
}

/// kContinue: each rank walks its own stream, in which one epoch follows the other without a gap.
Place place_in_stream(const Spec& spec, int64_t step, int64_t slot) {
  const int64_t popped = first_epoch(spec).taken + step * spec.batch + slot;
  const int64_t begin = shard_begin(spec.size, spec.num_shards, spec.shard);
  if (spec.stick) {
    const int64_t count = shard_begin(spec.size, spec.num_shards, spec.shard + 1) - begin;
    if (count == 0) return {};
    return {static_cast<uint64_t>(popped / count), begin + popped % count, true};
  }
  // Rank k visits shards k, k + 1, ... one an epoch: the data set again and again, from the first sample of shard k.
  const int64_t position = (begin + popped) % spec.size;
  const int64_t visits =
      (begin + popped) / spec.size * spec.num_shards + shard_of(spec.size, spec.num_shards, position);
  return {static_cast<uint64_t>(visits - spec.shard), position, true};
}

/// All other ends: epochs of equally many steps on all ranks, each beginning with a new batch.
Place place_in_epoch(const Spec& spec, int64_t step, int64_t slot) {
  const auto [epoch, nth_step, rest] = moment_of(spec, step);
  const bool moves = spec.epoch_end == EpochEnd::kRepeat && !spec.stick;
  const auto visit = static_cast<int64_t>(moves ? epoch % static_cast<uint64_t>(spec.num_shards) : 0);
  const int64_t shard = (spec.shard + visit) % spec.num_shards;
  const int64_t begin = shard_begin(rest.size, spec.num_shards, shard);
  const int64_t count = shard_begin(rest.size, spec.num_shards, shard + 1) - begin;
  if (count == 0) return {epoch};
  const int64_t nth = rest.taken + nth_step * spec.batch + slot;
  const bool wraps = spec.epoch_end == EpochEnd::kWrap;
  const int64_t kept = nth < count ? nth : wraps ? nth % count : count - 1;
  return {epoch, position_of_rest(rest, begin + kept), wraps || nth < count};
}

/// The sample at a position of an epoch.
int64_t shuffled(const Spec& spec, uint64_t epoch, int64_t position, const BufferShuffle* buffer) {
  if (!spec.shuffle) return position;
  const uint64_t key = mix64(spec.seed, epoch);
  int64_t begin = 0, count = spec.size;
  uint64_t stream = 0;
  if (spec.stick || spec.buffer > 0) {
    // The shards that the epoch began with stay shuffled in themselves when other ranks finish it.
    const bool resumed = epoch == spec.start.epoch && !spec.start.segments.empty();
    const int64_t num_shards = resumed ? spec.start.segments.front().num_shards : spec.num_shards;
    const int64_t shard = shard_of(spec.size, num_shards, position);
    begin = shard_begin(spec.size, num_shards, shard);
    count = shard_begin(spec.size, num_shards, shard + 1) - begin;
    stream = static_cast<uint64_t>(shard) + 1;
  }
  const auto n = static_cast<uint64_t>(count), nth = static_cast<uint64_t>(position - begin);
  const uint64_t shard_key = mix64(key, stream);
  if (spec.buffer > 0) {
    const auto size = static_cast<uint64_t>(spec.buffer);
    const uint64_t of_shard = buffer ? (*buffer)(n, shard_key, nth) : BufferShuffle(size)(n, shard_key, nth);
    const auto place = static_cast<uint64_t>(begin) + of_shard;
    return static_cast<int64_t>(spec.listed ? Permutation(static_cast<uint64_t>(spec.size), kListKey)(place) : place);
  }
  if (spec.block == 0) return begin + static_cast<int64_t>(Permutation(n, shard_key)(nth));
  const BlockPermutation blocks(n, static_cast<uint64_t>(spec.block), static_cast<uint64_t>(spec.mix), shard_key);
  return begin + static_cast<int64_t>(blocks(nth));
}

void check_start(const Spec& spec) {
  if (spec.epoch_end == EpochEnd::kContinue) {
    const bool same_ranks = spec.start.segments.empty() ||
                            (spec.start.segments.size() == 1 && spec.start.segments[0].num_shards == spec.num_shards);
    PENSTOCK_CHECK(spec.start.epoch == 0 && same_ranks, ArgumentError,
                   "a run in which epochs follow each other without a gap can only be resumed on the number of ranks "
                   "that it began with, not on {}: its ranks end their epochs at different steps; choose an epoch_end "
                   "such as \"pad\" to resume on any number",
                   spec.num_shards);
    for (const Segment& segment : spec.start.segments)
      PENSTOCK_CHECK(segment.taken >= 0 && segment.taken <= kMaxSize, ArgumentError,
                     "the saved position is damaged: {} samples taken", segment.taken);
    return;
  }
  int64_t left = spec.size;
  for (const auto& [num_shards, taken] : spec.start.segments) {
    PENSTOCK_CHECK(num_shards >= 1 && taken >= 0 && taken <= left / num_shards, ArgumentError,
                   "the saved position does not belong to a data set of {} samples: {} shards cannot have taken {} of "
                   "each of their parts of {}",
                   spec.size, num_shards, taken, left);
    left -= num_shards * taken;
  }
}

}  // namespace

void check(const Spec& spec) {
  PENSTOCK_CHECK(spec.size >= 1, ArgumentError, "the data set is empty");
  PENSTOCK_CHECK(spec.num_shards >= 1 && spec.shard >= 0 && spec.shard < spec.num_shards, ArgumentError,
                 "there is no shard {} of {}; shard_id lies between 0 and num_shards - 1", spec.shard, spec.num_shards);
  PENSTOCK_CHECK(spec.batch >= 1, ArgumentError, "batch size must be positive, got {}", spec.batch);
  PENSTOCK_CHECK(spec.block == 0 || (spec.block > 0 && spec.mix > 0), ArgumentError,
                 "blocks of {} samples, of which {} are mixed, make no order", spec.block, spec.mix);
  PENSTOCK_CHECK(spec.buffer >= 0 && spec.buffer <= kMaxBuffer, ArgumentError,
                 "a shuffle has a buffer of 0 (all samples) to {} samples, got {}", kMaxBuffer, spec.buffer);
  PENSTOCK_CHECK(spec.buffer == 0 || spec.block == 0, ArgumentError,
                 "shuffle_buffer and shuffle_groups are two ways to mix samples that are read together; leave one out");
  PENSTOCK_CHECK(spec.size <= kMaxSize && spec.num_shards <= kMaxShards, ArgumentError,
                 "{} samples in {} shards are too many; the limits are {} and {}", spec.size, spec.num_shards, kMaxSize,
                 kMaxShards);
  PENSTOCK_CHECK(spec.epoch_end != EpochEnd::kDrop || spec.size / spec.num_shards >= spec.batch, ArgumentError,
                 "an epoch would be empty: {} samples in {} shards do not fill one batch of {} on every rank, and "
                 "incomplete batches are dropped; use a smaller batch or another epoch_end",
                 spec.size, spec.num_shards, spec.batch);
  check_start(spec);
}

Pick pick(const Spec& spec, int64_t step, int64_t slot, const BufferShuffle* buffer) {
  check(spec);
  const Place place =
      spec.epoch_end == EpochEnd::kContinue ? place_in_stream(spec, step, slot) : place_in_epoch(spec, step, slot);
  if (place.position < 0) return {0, place.epoch, false};
  return {shuffled(spec, place.epoch, place.position, buffer), place.epoch, place.valid};
}

int64_t steps_per_epoch(const Spec& spec) {
  check(spec);
  return steps_left(spec, {spec.size, 0, {}});
}

int64_t steps_in_first_epoch(const Spec& spec) {
  if (spec.epoch_end == EpochEnd::kContinue) return steps_per_epoch(spec);
  check(spec);
  return steps_left(spec, first_epoch(spec));
}

Progress progress_after(const Spec& spec, int64_t steps) {
  check(spec);
  const bool gapless = spec.epoch_end == EpochEnd::kContinue;
  const auto [epoch, done, rest] = gapless ? Moment{0, steps, {}} : moment_of(spec, steps);
  Progress progress = spec.start;
  if (epoch != spec.start.epoch) progress = {epoch, {}};
  if (done == 0) return progress;
  std::vector<Segment>& segments = progress.segments;
  if (segments.empty() || segments.back().num_shards != spec.num_shards) segments.push_back({spec.num_shards, 0});
  segments.back().taken += done * spec.batch;
  return progress;
}

}  // namespace penstock::order

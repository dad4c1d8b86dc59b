// Which sample comes when: pure functions of (data set size, seed, epoch, shard, position). No state, no I/O.
#pragma once

#include <cstdint>

#include "order/permutation.h"
#include "order/progress.h"
#include "order/shard.h"

namespace penstock::order {

class BufferShuffle;

/// What happens where an epoch ends and the samples of a shard do not fill the last batch. Shards differ by one sample
/// at most; all but kContinue make all ranks take the same number of steps and start each epoch with a new batch.
enum class EpochEnd {
  kContinue,  ///< the next epoch's samples follow at once (DALI's reader without padding)
  kRepeat,    ///< the last sample is repeated (DALI's pad_last_batch)
  kPad,       ///< the last sample is repeated, on the own shard in every epoch
  kDrop,      ///< the incomplete batch is left out; all shards take floor(floor(n / S) / batch) steps
  kPartial,   ///< as kPad, but rows beyond the shard are to be left out of the batch
  kWrap,      ///< filled up with the first samples of the shard's own epoch order, marked valid
};

/// Everything that decides the order of one reader on one rank.
struct Spec {
  int64_t size = 0;  ///< samples in the data set
  int64_t num_shards = 1;
  int64_t shard = 0;
  int64_t batch = 1;     ///< samples per batch of this rank
  bool shuffle = false;  ///< a permutation of the whole data set, new each epoch (of the own shard when sticking)
  /// Stay on the own shard (DALI's stick_to_shard). Without it, kContinue and kRepeat move on by one shard each epoch,
  /// as DALI's readers do; the other ends always stay, so that unshuffled epochs are all the same.
  bool stick = false;
  EpochEnd epoch_end = EpochEnd::kContinue;
  uint64_t seed = 0;
  /// With a shuffle: so many neighbours stay near each other, because they are read together: blocks are permuted, and
  /// the samples of `mix` blocks at a time. 0: all samples at once.
  int64_t block = 0, mix = 0;
  /// With a shuffle: each shard's samples come in their own order out of a buffer of so many (DALI's initial_fill), see
  /// BufferShuffle. 0: without one. With `listed` that order is one of a permutation, the same in all epochs.
  int64_t buffer = 0;
  bool listed = false;
  Progress start = {};  ///< what was seen before step 0 of this run, possibly by another number of ranks
};

/// One sample of one batch.
struct Pick {
  int64_t index = 0;   ///< index in the data set
  uint64_t epoch = 0;  ///< epoch that this occurrence belongs to
  bool valid = true;   ///< false for repeats that fill a batch up, and (with index 0) where the shard is empty

  friend bool operator==(const Pick&, const Pick&) = default;
};

/// @throws ArgumentError when the values contradict each other: no samples, a shard that does not exist, an epoch
/// without a single step, a start that belongs to a smaller data set, or kContinue on another number of ranks.
void check(const Spec& spec);

/// Sample `slot` of batch `step`, both counted from 0, steps from spec.start. Takes constant time (linear in
/// spec.start.segments during the first epoch). @throws ArgumentError as check does.
/// @param buffer  of spec.buffer samples, which makes it fast; null: one of this call alone
Pick pick(const Spec& spec, int64_t step, int64_t slot, const BufferShuffle* buffer = nullptr);

/// Steps that every rank takes in one whole epoch; for kContinue the batches that the largest shard fills, rounded up.
/// @throws ArgumentError as check does.
int64_t steps_per_epoch(const Spec& spec);

/// Steps that are left of the epoch in which spec.start lies: the number of the step that begins the next epoch. May be
/// 0 for kDrop on more ranks than before. For kContinue as steps_per_epoch. @throws ArgumentError as check does.
int64_t steps_in_first_epoch(const Spec& spec);

/// What has been seen after `steps` steps of all ranks: the `start` of a run that goes on from there, on this or any
/// other number of ranks and batch size. @throws ArgumentError as check does.
Progress progress_after(const Spec& spec, int64_t steps);

}  // namespace penstock::order

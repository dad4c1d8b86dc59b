// Which sample comes when: pure functions of (data set size, seed, epoch, shard, position). No state, no I/O.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::order {

/// First index of shard k when n samples are split S ways: DALI's split, floor(n * k / S).
int64_t shard_begin(int64_t n, int64_t num_shards, int64_t shard);

/// A keyed bijection on [0, n): a Feistel network over the next power of four, with cycle walking. O(1) memory.
class Permutation {
 public:
  Permutation(uint64_t n, uint64_t key);
  uint64_t operator()(uint64_t position) const;

 private:
  uint64_t n_, key_, mask_;
  int half_bits_;
};

/// What happens where an epoch ends and the samples of a shard do not fill the last batch.
enum class EpochEnd {
  kContinue,  ///< the next epoch's samples follow at once (DALI's reader without padding)
  kRepeat,    ///< the last sample is repeated, all shards to one length (DALI's pad_last_batch)
  kPad,       ///< as kRepeat, with the repeated rows marked invalid
  kDrop,      ///< the incomplete batch is left out; all shards take floor(floor(n / S) / batch) steps
  kPartial,   ///< the last batch is short; rows beyond the shard are absent (invalid)
  kWrap,      ///< filled up with the first samples of the shard's own epoch order, marked valid
};

/// Everything that decides the order of one reader on one rank.
struct Spec {
  int64_t size = 0;  ///< samples in the data set
  int64_t num_shards = 1;
  int64_t shard = 0;
  int64_t batch = 1;     ///< samples per batch of this rank
  bool shuffle = false;  ///< a permutation of the whole data set, new each epoch (of the own shard when sticking)
  bool stick = false;    ///< stay on the own shard instead of moving on by one each epoch (DALI's stick_to_shard)
  EpochEnd epoch_end = EpochEnd::kContinue;
  uint64_t seed = 0;
};

/// One sample of one batch.
struct Pick {
  int64_t index = 0;   ///< index in the data set
  uint64_t epoch = 0;  ///< epoch that this occurrence belongs to
  bool valid = true;   ///< false for padding
};

/// Sample `slot` of batch `step`, counted from the start of the run.
Pick pick(const Spec& spec, int64_t step, int64_t slot);

/// Steps that every rank takes in one epoch; for kContinue the number of whole batches per data-set pass of the largest
/// shard, rounded up.
int64_t steps_per_epoch(const Spec& spec);

}  // namespace penstock::order

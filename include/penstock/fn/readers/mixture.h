// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

/// Arguments of mixture().
struct MixtureArgs {
  /// With `bucket_by`: batches that are filled together, by length, and come in random order if the samples do. More of
  /// them leave less padding, and less chance to which samples meet in a batch. Default: `64`.
  Constant<int64_t> bucket_batches = {};
  /// Put samples of like length into one batch, so that little of a padded batch is padding: "bytes" (as they are
  /// stored), a file of NumPy's (.npy) with a number for each sample of the data set, which `penstock.measure_lengths`
  /// writes, or a column of a table: its numbers, or how long its lists and texts are. Each epoch has the samples that
  /// it would have without. Needs an `epoch_end`. Default: `""`.
  Constant<std::string> bucket_by = {};
  /// What to do when the samples of an epoch do not fill the last batch: "pad" repeats the last sample and marks the
  /// repetitions as not valid, "drop" leaves the batch out, "partial" makes it shorter, "wrap" fills it from the
  /// beginning of the epoch. Empty: `pad_last_batch` decides. Default: `""`.
  Constant<std::string> epoch_end = {};
  /// Samples in an epoch of all shards together. Without it as many as the epochs of all readers have.
  Constant<int64_t> epoch_size = {};
  /// Open the data set when it is first used, not when the pipeline is built. Default: `false`.
  Constant<bool> lazy_init = {};
  /// Outputs of each reader; Python counts them. Default: `2`.
  Constant<int64_t> num_outputs = {};
  /// Parts that the data set is divided into. Default: `1`.
  Constant<int64_t> num_shards = {};
  /// Repeat the last sample until the last batch is full and all shards have the same length. Default: `false`.
  Constant<bool> pad_last_batch = {};
  /// Deliver the samples in random order: a permutation of the whole data set, new in each epoch. Default: `false`.
  Constant<bool> random_shuffle = {};
  /// How many samples each reader gives, compared with the others: in each epoch, and in each thousand samples, its
  /// share, one more or less. Several lists: the ratios of the first epochs, the last ones from then on. Without it as
  /// many as each has, so that an epoch has each sample once.
  Constant<Floats> ratios = {};
  /// Give one more output: the number of the reader that the sample comes from, int32, one element. Default: `false`.
  Constant<bool> return_set = {};
  /// Readers of a pipeline that have one seed, or none, shuffle alike; those with different seeds do not. Its value has
  /// no effect, as ranks with different ones would share samples: the order follows `shuffle_seed` of the pipeline, or
  /// `shuffle_after_epoch_seed`.
  Constant<int64_t> seed = {};
  /// The part that is read in the first epoch, counted from 0. Default: `0`.
  Constant<int64_t> shard_id = {};
  /// DALI's name for what `random_shuffle` does here; excludes `random_shuffle` and `stick_to_shard`. Default: `false`.
  Constant<bool> shuffle_after_epoch = {};
  /// Seed of the permutations, if not the pipeline's `shuffle_seed`. All shards must use the same one.
  Constant<int64_t> shuffle_after_epoch_seed = {};
  /// With `random_shuffle`: mix only so many samples of a shard at a time. They are read in their own order into a
  /// buffer of that size, any of which comes next: for disks that read slowly here and there. 0: all samples. Default:
  /// `0`.
  Constant<int64_t> shuffle_buffer = {};
  /// With `shuffle_buffer`: the own order is a permutation of the whole data set, the same in all epochs. Default:
  /// `false`.
  Constant<bool> shuffle_list = {};
  /// Read the same part in every epoch instead of moving on to the next one. Default: `false`.
  Constant<bool> stick_to_shard = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Mixes the samples of several readers in given ratios. Each reader's samples are gone through again and again, from
/// one epoch on into the next. What decides about the order (`random_shuffle`, `num_shards`, `epoch_end`, ...) is given
/// here; what decides which samples a reader has (`subset`, `weights`, ...) is given to it. Indices of samples count
/// through all readers.
/// @param readers  What each reader gives. All of them give equally many outputs of the same types.
/// @return in this order:
/// - `outputs`: Those of the readers, of the one that the sample comes from; with `return_set` one more.
inline std::vector<Node> mixture(Graph& graph, std::vector<Node> readers, const MixtureArgs& args = {}) {
  return Call("readers.mixture", std::move(readers), args.common)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("lazy_init", args.lazy_init)
      .arg("num_outputs", args.num_outputs)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("random_shuffle", args.random_shuffle)
      .arg("ratios", args.ratios)
      .arg("return_set", args.return_set)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("shuffle_buffer", args.shuffle_buffer)
      .arg("shuffle_list", args.shuffle_list)
      .arg("stick_to_shard", args.stick_to_shard)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

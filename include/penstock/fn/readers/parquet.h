// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

/// Arguments of parquet().
struct ParquetArgs {
  /// "class": classes come equally often. "stratified": in each thousand samples, and in each epoch, they come as often
  /// as they are in the data set, one more or less. A class that comes more often than it has samples is gone through
  /// again and again. Default: `""`.
  Constant<std::string> balance = {};
  /// With `bucket_by`: batches that are filled together, by length, and come in random order if the samples do. More of
  /// them leave less padding, and less chance to which samples meet in a batch. Default: `64`.
  Constant<int64_t> bucket_batches = {};
  /// Put samples of like length into one batch, so that little of a padded batch is padding: "bytes" (as they are
  /// stored), a file of NumPy's (.npy) with a number for each sample of the data set, which `penstock.measure_lengths`
  /// writes, or a column of a table: its numbers, or how long its lists and texts are. Each epoch has the samples that
  /// it would have without. Needs an `epoch_end`. Default: `""`.
  Constant<std::string> bucket_by = {};
  /// Megabytes of groups (decoded row groups of Parquet, unpacked archives) to keep in memory; 0: a quarter of the
  /// machine's memory, or the container's. Default: `0`.
  Constant<int64_t> cache_size = {};
  /// Compare pages with the checksums that are stored with them, if any. Default: `false`.
  Constant<bool> check_crc = {};
  /// Ratios in which the classes come, one for each in ascending order; several lists: those of the first epochs, the
  /// last one from then on.
  Constant<Floats> class_ratios = {};
  /// The class of each sample of the data set, for `balance`, `class_ratios` and a function as `subset`; without it the
  /// labels, where the reader knows them before it reads the samples.
  Constant<Ints> classes = {};
  /// Names of columns, an output each. `image.bytes` is a part of a column of structs; of one that has the parts
  /// `bytes` and `path`, as pictures of Hugging Face's data sets, the bytes are read. Required.
  Constant<Strings> columns = {};
  /// What to do when the samples of an epoch do not fill the last batch: "pad" repeats the last sample and marks the
  /// repetitions as not valid, "drop" leaves the batch out, "partial" makes it shorter, "wrap" fills it from the
  /// beginning of the epoch. Empty: `pad_last_batch` decides. Default: `""`.
  Constant<std::string> epoch_end = {};
  /// Samples in an epoch of all shards together. The next epoch goes on where this one ends, so that all samples come
  /// equally often. Without it an epoch has as many as the data set or the subset.
  Constant<int64_t> epoch_size = {};
  /// What numbers that are missing become with `nulls="fill"`. Default: `0.0`.
  Constant<double> fill_value = {};
  /// Open the data set when it is first used, not when the pipeline is built. Default: `false`.
  Constant<bool> lazy_init = {};
  /// What a value that is missing is: "error", or "fill": `fill_value` for a number or an element of a list, empty for
  /// texts, bytes and lists. Default: `"error"`.
  Constant<std::string> nulls = {};
  /// Parts that the data set is divided into. Default: `1`.
  Constant<int64_t> num_shards = {};
  /// Repeat the last sample until the last batch is full and all shards have the same length. Default: `false`.
  Constant<bool> pad_last_batch = {};
  /// Path of a file, of a folder (all \*.parquet below it), a pattern such as "train-\*.parquet", or a list of these,
  /// read one after the other. Required.
  Constant<Strings> path = {};
  /// Deliver the samples in random order: a permutation of the whole data set, new in each epoch. Default: `false`.
  Constant<bool> random_shuffle = {};
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
  /// With a shuffle: how many groups (row groups of Parquet, compressed archives) are mixed at a time. The order then
  /// is a permutation of blocks as long as the largest group, over the whole data set, and of all that lies in so many
  /// of them. 0: a permutation of all samples, which loads a group for each sample that is not in memory. Without it,
  /// as 0 where all fits into `cache_size`; otherwise the reader asks for it.
  Constant<int64_t> shuffle_groups = {};
  /// With `shuffle_buffer`: the own order is a permutation of the whole data set, the same in all epochs. Default:
  /// `false`.
  Constant<bool> shuffle_list = {};
  /// Read the same part in every epoch instead of moving on to the next one. Default: `false`.
  Constant<bool> stick_to_shard = {};
  /// Indices of the samples to read, the others are left out. In Python also a function of a label that says whether
  /// samples of it are read.
  Constant<Ints> subset = {};
  /// One number for each sample of the data set: how often it comes, compared with the others. An epoch has its share
  /// of each sample, rounded down or up.
  Constant<Floats> weights = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Reads columns of Parquet files through pyarrow, a row group at a time, and gives a dict of nodes. Row groups that
/// were decoded are kept while `cache_size` has room; a shuffle needs them all there, or `shuffle_groups`.
/// @return in this order:
/// - `columns`: Numbers and lists of numbers in their type and shape (a number has no dimension, times are whole
/// numbers in the column's unit); texts and bytes as uint8 of one dimension.
inline std::vector<Node> parquet(Graph& graph, const ParquetArgs& args = {}) {
  return Call("readers.parquet", {}, args.common)
      .arg("balance", args.balance)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("cache_size", args.cache_size)
      .arg("check_crc", args.check_crc)
      .arg("class_ratios", args.class_ratios)
      .arg("classes", args.classes)
      .arg("columns", args.columns)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("fill_value", args.fill_value)
      .arg("lazy_init", args.lazy_init)
      .arg("nulls", args.nulls)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("path", args.path)
      .arg("random_shuffle", args.random_shuffle)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("shuffle_buffer", args.shuffle_buffer)
      .arg("shuffle_groups", args.shuffle_groups)
      .arg("shuffle_list", args.shuffle_list)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

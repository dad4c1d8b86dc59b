// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

/// Arguments of webdataset().
struct WebdatasetArgs {
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
  /// Tell upper from lower case (of ASCII) in extensions. Default: `true`.
  Constant<bool> case_sensitive_extensions = {};
  /// Ratios in which the classes come, one for each in ascending order; several lists: those of the first epochs, the
  /// last one from then on.
  Constant<Floats> class_ratios = {};
  /// The class of each sample of the data set, for `balance`, `class_ratios` and a function as `subset`; without it the
  /// labels, where the reader knows them before it reads the samples.
  Constant<Ints> classes = {};
  /// Copy all records out of the file. Otherwise records of 16 KB and more are read where the system has them in
  /// memory, in as much of the data set as a quarter of the machine's memory holds (or of the container's), and smaller
  /// ones in its first 40 MB: quicker, but it counts as memory of the process (the system takes it back when it needs
  /// it, but for what it pins for GPUs, which copy large JPEG files from where they lie), and a disk or server that
  /// fails under it ends the process, as with any mapped file. Default: `false`.
  Constant<bool> dont_use_mmap = {};
  /// Type of each output; by default uint8.
  Constant<Ints> dtypes = {};
  /// What to do when the samples of an epoch do not fill the last batch: "pad" repeats the last sample and marks the
  /// repetitions as not valid, "drop" leaves the batch out, "partial" makes it shorter, "wrap" fills it from the
  /// beginning of the epoch. Empty: `pad_last_batch` decides. Default: `""`.
  Constant<std::string> epoch_end = {};
  /// Samples in an epoch of all shards together. The next epoch goes on where this one ends, so that all samples come
  /// equally often. Without it an epoch has as many as the data set or the subset.
  Constant<int64_t> epoch_size = {};
  /// Extension of each output's files; several that will do are separated by ";", and the file that comes first in the
  /// archive is taken. Required.
  Constant<Strings> ext = {};
  /// An index for each archive, as the script `wds2idx` writes it. Without it the index is made when the data set is
  /// opened, by reading all headers.
  Constant<Strings> index_paths = {};
  /// Open the data set when it is first used, not when the pipeline is built. Default: `false`.
  Constant<bool> lazy_init = {};
  /// What a sample that lacks a file is: "empty" (an empty output, also with ""), "skip" (left out of the data set) or
  /// "error". Default: `""`.
  Constant<std::string> missing_component_behavior = {};
  /// Parts that the data set is divided into. Default: `1`.
  Constant<int64_t> num_shards = {};
  /// Repeat the last sample until the last batch is full and all shards have the same length. Default: `false`.
  Constant<bool> pad_last_batch = {};
  /// Path of the archive, or a list that is read one after the other. Required.
  Constant<Strings> paths = {};
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
/// Reads tar archives in which the files of a sample, one behind the other, have one name and different extensions,
/// which begin behind the first dot. There is an output for each entry of `ext`. Files that begin with a dot or have
/// none are left out, as is what is no regular file. An archive that is compressed by gzip or zstd has no random
/// access: it is unpacked into memory as a whole when one of its samples is needed, and kept while `cache_size` has
/// room. Samples in their order need one at a time, a shuffle all of them or `shuffle_groups`. Without `index_paths`
/// (of the unpacked archive) it is unpacked once more when the data set is opened.
/// @return in this order:
/// - `components`: The bytes of the file as numbers of the type in `dtypes`, by default uint8; one dimension.
inline std::vector<Node> webdataset(Graph& graph, const WebdatasetArgs& args = {}) {
  return Call("readers.webdataset", {}, args.common)
      .arg("balance", args.balance)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("cache_size", args.cache_size)
      .arg("case_sensitive_extensions", args.case_sensitive_extensions)
      .arg("class_ratios", args.class_ratios)
      .arg("classes", args.classes)
      .arg("dont_use_mmap", args.dont_use_mmap)
      .arg("dtypes", args.dtypes)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("ext", args.ext)
      .arg("index_paths", args.index_paths)
      .arg("lazy_init", args.lazy_init)
      .arg("missing_component_behavior", args.missing_component_behavior)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("paths", args.paths)
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

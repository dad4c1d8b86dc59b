// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

/// Arguments of coco().
struct CocoArgs {
  /// Path of the JSON file.
  Constant<std::string> annotations_file = {};
  /// Give classes as `category_id` has them. Otherwise they are numbered from 1 in the order of `categories`. Default:
  /// `false`.
  Constant<bool> avoid_class_remapping = {};
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
  /// Ratios in which the classes come, one for each in ascending order; several lists: those of the first epochs, the
  /// last one from then on.
  Constant<Floats> class_ratios = {};
  /// The class of each sample of the data set, for `balance`, `class_ratios` and a function as `subset`; without it the
  /// labels, where the reader knows them before it reads the samples.
  Constant<Ints> classes = {};
  /// What to do when the samples of an epoch do not fill the last batch: "pad" repeats the last sample and marks the
  /// repetitions as not valid, "drop" leaves the batch out, "partial" makes it shorter, "wrap" fills it from the
  /// beginning of the epoch. Empty: `pad_last_batch` decides. Default: `""`.
  Constant<std::string> epoch_end = {};
  /// Samples in an epoch of all shards together. The next epoch goes on where this one ends, so that all samples come
  /// equally often. Without it an epoch has as many as the data set or the subset.
  Constant<int64_t> epoch_size = {};
  /// Directory that the `file_name` of images starts from, and may not leave. Default: `""`.
  Constant<std::string> file_root = {};
  /// Leave out annotations whose image is not in the file, instead of refusing the file. Default: `false`.
  Constant<bool> ignore_strays = {};
  /// Give the image's id. Default: `false`.
  Constant<bool> image_ids = {};
  /// The `file_name` of each image that is read, in the order of the data set; may hold one more than once.
  Constant<Strings> images = {};
  /// Give objects that are marked `iscrowd`, too. Default: `true`.
  Constant<bool> include_iscrowd = {};
  /// Open the data set when it is first used, not when the pipeline is built. Default: `false`.
  Constant<bool> lazy_init = {};
  /// Give boxes as left, top, right, bottom instead of x, y, width, height. Default: `false`.
  Constant<bool> ltrb = {};
  /// Parts that the data set is divided into. Default: `1`.
  Constant<int64_t> num_shards = {};
  /// Repeat the last sample until the last batch is full and all shards have the same length. Default: `false`.
  Constant<bool> pad_last_batch = {};
  /// Give a picture of classes, from outlines and run lengths. Where objects overlap, the higher class shows. Default:
  /// `false`.
  Constant<bool> pixelwise_masks = {};
  /// Give objects' outlines; excludes `pixelwise_masks`. Default: `false`.
  Constant<bool> polygon_masks = {};
  /// Directory that `save_preprocessed_annotations`, of this reader or of DALI's, has written; in place of
  /// `annotations_file`. Boxes are as the arguments then asked.
  Constant<std::string> preprocessed_annotations = {};
  /// Deliver the samples in random order: a permutation of the whole data set, new in each epoch. Default: `false`.
  Constant<bool> random_shuffle = {};
  /// Give boxes and vertices in parts of the image's width and height. Default: `false`.
  Constant<bool> ratio = {};
  /// Write what was read from `annotations_file` in DALI's binary form, which opens faster. Default: `false`.
  Constant<bool> save_preprocessed_annotations = {};
  /// Directory for that; made if it is not there. Default: `""`.
  Constant<std::string> save_preprocessed_annotations_dir = {};
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
  /// Objects whose box has a side shorter than so many pixels are left out. Default: `0.1`.
  Constant<double> size_threshold = {};
  /// Leave out images without objects. Default: `false`.
  Constant<bool> skip_empty = {};
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
/// Reads pictures with the boxes, classes and masks of the objects on them, as COCO's annotation files tell. Samples
/// are ordered by the images' ids, objects as in the file.
/// @return in this order:
/// - `images`: The bytes of the file: uint8, one dimension.
/// - `boxes`: FLOAT, a row of four numbers for each object: x, y, width, height, or as `ltrb` says.
/// - `labels`: INT32, one for each object.
/// - `more`: With `polygon_masks` two outputs, polygons (INT32, rows of object, first vertex, vertex behind the last)
/// and vertices (FLOAT, rows of x and y). With `pixelwise_masks` one: INT32 with the layout HWC and one channel, the
/// label of the object at each pixel, 0 where there is none. With `image_ids` one more: INT32, one element.
inline std::vector<Node> coco(Graph& graph, const CocoArgs& args = {}) {
  return Call("readers.coco", {}, args.common)
      .arg("annotations_file", args.annotations_file)
      .arg("avoid_class_remapping", args.avoid_class_remapping)
      .arg("balance", args.balance)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("class_ratios", args.class_ratios)
      .arg("classes", args.classes)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("file_root", args.file_root)
      .arg("ignore_strays", args.ignore_strays)
      .arg("image_ids", args.image_ids)
      .arg("images", args.images)
      .arg("include_iscrowd", args.include_iscrowd)
      .arg("lazy_init", args.lazy_init)
      .arg("ltrb", args.ltrb)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("pixelwise_masks", args.pixelwise_masks)
      .arg("polygon_masks", args.polygon_masks)
      .arg("preprocessed_annotations", args.preprocessed_annotations)
      .arg("random_shuffle", args.random_shuffle)
      .arg("ratio", args.ratio)
      .arg("save_preprocessed_annotations", args.save_preprocessed_annotations)
      .arg("save_preprocessed_annotations_dir", args.save_preprocessed_annotations_dir)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("shuffle_buffer", args.shuffle_buffer)
      .arg("shuffle_list", args.shuffle_list)
      .arg("size_threshold", args.size_threshold)
      .arg("skip_empty", args.skip_empty)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct CocoArgs {
  Constant<std::string> annotations_file = {};
  Constant<bool> avoid_class_remapping = {};
  Constant<std::string> balance = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<Floats> class_ratios = {};
  Constant<Ints> classes = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<std::string> file_root = {};
  Constant<bool> ignore_strays = {};
  Constant<bool> image_ids = {};
  Constant<Strings> images = {};
  Constant<bool> include_iscrowd = {};
  Constant<bool> lazy_init = {};
  Constant<bool> ltrb = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<bool> pixelwise_masks = {};
  Constant<bool> polygon_masks = {};
  Constant<std::string> preprocessed_annotations = {};
  Constant<bool> random_shuffle = {};
  Constant<bool> ratio = {};
  Constant<bool> save_preprocessed_annotations = {};
  Constant<std::string> save_preprocessed_annotations_dir = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<double> size_threshold = {};
  Constant<bool> skip_empty = {};
  Constant<bool> stick_to_shard = {};
  Constant<Ints> subset = {};
  Constant<Floats> weights = {};
  CommonArgs common = {};
};
/// Reads pictures with the boxes, classes and masks of the objects on them, as COCO's annotation files tell. Samples
/// are ordered by the images' ids, objects as in the file.
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
      .arg("size_threshold", args.size_threshold)
      .arg("skip_empty", args.skip_empty)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

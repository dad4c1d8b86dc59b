// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct Caffe2Args {
  Constant<int64_t> additional_inputs = {};
  Constant<std::string> balance = {};
  Constant<bool> bbox = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<Floats> class_ratios = {};
  Constant<Ints> classes = {};
  Constant<bool> dont_use_mmap = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<bool> image_available = {};
  Constant<int64_t> label_type = {};
  Constant<bool> lazy_init = {};
  Constant<int64_t> num_labels = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<Strings> path = {};
  Constant<bool> random_shuffle = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<bool> stick_to_shard = {};
  Constant<Ints> subset = {};
  Constant<Floats> weights = {};
  CommonArgs common = {};
};
/// Reads Caffe2 LMDB databases: images, encoded or as pixels, with labels. Large images stay where they are in the
/// mapped file until a decoder reads them (`dont_use_mmap`).
inline std::vector<Node> caffe2(Graph& graph, const Caffe2Args& args = {}) {
  return Call("readers.caffe2", {}, args.common)
      .arg("additional_inputs", args.additional_inputs)
      .arg("balance", args.balance)
      .arg("bbox", args.bbox)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("class_ratios", args.class_ratios)
      .arg("classes", args.classes)
      .arg("dont_use_mmap", args.dont_use_mmap)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("image_available", args.image_available)
      .arg("label_type", args.label_type)
      .arg("lazy_init", args.lazy_init)
      .arg("num_labels", args.num_labels)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("path", args.path)
      .arg("random_shuffle", args.random_shuffle)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

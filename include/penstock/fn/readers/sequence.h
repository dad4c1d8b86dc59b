// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct SequenceArgs {
  Constant<std::string> balance = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<Floats> class_ratios = {};
  Constant<Ints> classes = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<std::string> file_root = {};
  Constant<ImageType> image_type = {};
  Constant<bool> lazy_init = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<bool> random_shuffle = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> sequence_length = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<int64_t> step = {};
  Constant<bool> stick_to_shard = {};
  Constant<int64_t> stride = {};
  Constant<Ints> subset = {};
  Constant<Floats> weights = {};
  CommonArgs common = {};
};
/// Reads and decodes sequences of frames that lie in files of their own: each directory directly below a root holds one
/// video, whose frames are ordered by name. Sequences do not go from one directory to the next.
inline Node sequence(Graph& graph, const SequenceArgs& args = {}) {
  return Call("readers.sequence", {}, args.common)
      .arg("balance", args.balance)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("class_ratios", args.class_ratios)
      .arg("classes", args.classes)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("file_root", args.file_root)
      .arg("image_type", args.image_type)
      .arg("lazy_init", args.lazy_init)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("random_shuffle", args.random_shuffle)
      .arg("seed", args.seed)
      .arg("sequence_length", args.sequence_length)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("step", args.step)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("stride", args.stride)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph)
      .front();
}

}  // namespace readers

}  // namespace penstock::fn

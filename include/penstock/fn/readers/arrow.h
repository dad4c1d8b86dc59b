// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct ArrowArgs {
  Constant<std::string> balance = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<Floats> class_ratios = {};
  Constant<Ints> classes = {};
  Constant<Strings> columns = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<double> fill_value = {};
  Constant<bool> lazy_init = {};
  Constant<std::string> nulls = {};
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
/// Reads columns of Arrow files (IPC files and streams, Feather), which are mapped through pyarrow: nothing is decoded
/// or kept in memory, and texts and bytes are not copied. Gives a dict of nodes. `penstock.from_huggingface` makes this
/// reader of a data set of Hugging Face's.
inline std::vector<Node> arrow(Graph& graph, const ArrowArgs& args = {}) {
  return Call("readers.arrow", {}, args.common)
      .arg("balance", args.balance)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
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
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

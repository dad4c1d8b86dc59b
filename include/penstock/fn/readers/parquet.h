// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct ParquetArgs {
  Constant<std::string> balance = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<int64_t> cache_size = {};
  Constant<bool> check_crc = {};
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
  Constant<int64_t> shuffle_groups = {};
  Constant<bool> stick_to_shard = {};
  Constant<Ints> subset = {};
  Constant<Floats> weights = {};
  CommonArgs common = {};
};
/// Reads columns of Parquet files through pyarrow, a row group at a time, and gives a dict of nodes. Row groups that
/// were decoded are kept while `cache_size` has room; a shuffle needs them all there, or `shuffle_groups`.
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
      .arg("shuffle_groups", args.shuffle_groups)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct WebdatasetArgs {
  Constant<std::string> balance = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<int64_t> cache_size = {};
  Constant<bool> case_sensitive_extensions = {};
  Constant<Floats> class_ratios = {};
  Constant<Ints> classes = {};
  Constant<bool> dont_use_mmap = {};
  Constant<Ints> dtypes = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<Strings> ext = {};
  Constant<Strings> index_paths = {};
  Constant<bool> lazy_init = {};
  Constant<std::string> missing_component_behavior = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<Strings> paths = {};
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
/// Reads tar archives in which the files of a sample, one behind the other, have one name and different extensions,
/// which begin behind the first dot. There is an output for each entry of `ext`. Files that begin with a dot or have
/// none are left out, as is what is no regular file. An archive that is compressed by gzip or zstd has no random
/// access: it is unpacked into memory as a whole when one of its samples is needed, and kept while `cache_size` has
/// room. Samples in their order need one at a time, a shuffle all of them or `shuffle_groups`. Without `index_paths`
/// (of the unpacked archive) it is unpacked once more when the data set is opened.
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
      .arg("shuffle_groups", args.shuffle_groups)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

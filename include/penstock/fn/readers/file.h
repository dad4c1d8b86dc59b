// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct FileArgs {
  Constant<std::string> balance = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<bool> case_sensitive_filter = {};
  Constant<Floats> class_ratios = {};
  Constant<Ints> classes = {};
  Constant<Strings> dir_filters = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<Strings> file_filters = {};
  Constant<std::string> file_list = {};
  Constant<std::string> file_root = {};
  Constant<Strings> files = {};
  Constant<Ints> labels = {};
  Constant<bool> lazy_init = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
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
/// Reads files as they are, with a label for each. The files are those below a directory, those named in a list file,
/// or those given.
inline std::array<Node, 2> file(Graph& graph, const FileArgs& args = {}) {
  return Call("readers.file", {}, args.common)
      .arg("balance", args.balance)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("case_sensitive_filter", args.case_sensitive_filter)
      .arg("class_ratios", args.class_ratios)
      .arg("classes", args.classes)
      .arg("dir_filters", args.dir_filters)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("file_filters", args.file_filters)
      .arg("file_list", args.file_list)
      .arg("file_root", args.file_root)
      .arg("files", args.files)
      .arg("labels", args.labels)
      .arg("lazy_init", args.lazy_init)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("random_shuffle", args.random_shuffle)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add<2>(graph);
}

}  // namespace readers

}  // namespace penstock::fn

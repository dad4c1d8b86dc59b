// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct MixtureArgs {
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<bool> lazy_init = {};
  Constant<int64_t> num_outputs = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<bool> random_shuffle = {};
  Constant<Floats> ratios = {};
  Constant<bool> return_set = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<bool> stick_to_shard = {};
  CommonArgs common = {};
};
/// Mixes the samples of several readers in given ratios. Each reader's samples are gone through again and again, from
/// one epoch on into the next. What decides about the order (`random_shuffle`, `num_shards`, `epoch_end`, ...) is given
/// here; what decides which samples a reader has (`subset`, `weights`, ...) is given to it. Indices of samples count
/// through all readers.
inline std::vector<Node> mixture(Graph& graph, std::vector<Node> readers, const MixtureArgs& args = {}) {
  return Call("readers.mixture", std::move(readers), args.common)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("lazy_init", args.lazy_init)
      .arg("num_outputs", args.num_outputs)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("random_shuffle", args.random_shuffle)
      .arg("ratios", args.ratios)
      .arg("return_set", args.return_set)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("stick_to_shard", args.stick_to_shard)
      .add(graph);
}

}  // namespace readers

}  // namespace penstock::fn

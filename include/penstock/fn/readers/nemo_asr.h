// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct NemoAsrArgs {
  Constant<std::string> balance = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<Floats> class_ratios = {};
  Constant<Ints> classes = {};
  Constant<bool> downmix = {};
  Constant<DType> dtype = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<std::string> file_root = {};
  Constant<bool> lazy_init = {};
  Constant<Strings> manifest_filepaths = {};
  Constant<double> max_duration = {};
  Constant<double> min_duration = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<double> quality = {};
  Constant<bool> random_shuffle = {};
  Constant<bool> read_idxs = {};
  Constant<bool> read_sample_rate = {};
  Constant<bool> read_text = {};
  Constant<double> sample_rate = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<bool> stick_to_shard = {};
  Constant<Ints> subset = {};
  Constant<Floats> weights = {};
  CommonArgs common = {};
};
/// Reads speech and its transcripts as NeMo's manifests list them: JSON objects with `audio_filepath` and, where they
/// are given, `duration` and `offset` in seconds (else all of the file) and `text`.
inline std::vector<Node> nemo_asr(Graph& graph, const NemoAsrArgs& args = {}) {
  return Call("readers.nemo_asr", {}, args.common)
      .arg("balance", args.balance)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("class_ratios", args.class_ratios)
      .arg("classes", args.classes)
      .arg("downmix", args.downmix)
      .arg("dtype", args.dtype)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("file_root", args.file_root)
      .arg("lazy_init", args.lazy_init)
      .arg("manifest_filepaths", args.manifest_filepaths)
      .arg("max_duration", args.max_duration)
      .arg("min_duration", args.min_duration)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("quality", args.quality)
      .arg("random_shuffle", args.random_shuffle)
      .arg("read_idxs", args.read_idxs)
      .arg("read_sample_rate", args.read_sample_rate)
      .arg("read_text", args.read_text)
      .arg("sample_rate", args.sample_rate)
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

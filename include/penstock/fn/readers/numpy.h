// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace readers {

struct NumpyArgs {
  Constant<std::string> balance = {};
  Constant<int64_t> bucket_batches = {};
  Constant<std::string> bucket_by = {};
  Constant<Floats> class_ratios = {};
  Constant<Ints> classes = {};
  Constant<std::string> epoch_end = {};
  Constant<int64_t> epoch_size = {};
  Constant<std::string> file_filter = {};
  Constant<std::string> file_list = {};
  Constant<std::string> file_root = {};
  Constant<Strings> files = {};
  Constant<double> fill_value = {};
  Constant<bool> lazy_init = {};
  Constant<int64_t> num_shards = {};
  Constant<std::string> out_of_bounds_policy = {};
  Constant<bool> pad_last_batch = {};
  Constant<bool> random_shuffle = {};
  Arg<Floats> rel_roi_end = {};
  Arg<Floats> rel_roi_shape = {};
  Arg<Floats> rel_roi_start = {};
  Constant<Ints> roi_axes = {};
  Arg<Ints> roi_end = {};
  Arg<Ints> roi_shape = {};
  Arg<Ints> roi_start = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<bool> stick_to_shard = {};
  Constant<Ints> subset = {};
  Constant<Floats> weights = {};
  CommonArgs common = {};
};
/// Reads arrays from NumPy's files (.npy), whole or a region of each. Arrays in Fortran order come in C order. Of a
/// region little more is read than what lies in it.
inline Node numpy(Graph& graph, const NumpyArgs& args = {}) {
  return Call("readers.numpy", {}, args.common)
      .arg("balance", args.balance)
      .arg("bucket_batches", args.bucket_batches)
      .arg("bucket_by", args.bucket_by)
      .arg("class_ratios", args.class_ratios)
      .arg("classes", args.classes)
      .arg("epoch_end", args.epoch_end)
      .arg("epoch_size", args.epoch_size)
      .arg("file_filter", args.file_filter)
      .arg("file_list", args.file_list)
      .arg("file_root", args.file_root)
      .arg("files", args.files)
      .arg("fill_value", args.fill_value)
      .arg("lazy_init", args.lazy_init)
      .arg("num_shards", args.num_shards)
      .arg("out_of_bounds_policy", args.out_of_bounds_policy)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("random_shuffle", args.random_shuffle)
      .arg("rel_roi_end", args.rel_roi_end)
      .arg("rel_roi_shape", args.rel_roi_shape)
      .arg("rel_roi_start", args.rel_roi_start)
      .arg("roi_axes", args.roi_axes)
      .arg("roi_end", args.roi_end)
      .arg("roi_shape", args.roi_shape)
      .arg("roi_start", args.roi_start)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("stick_to_shard", args.stick_to_shard)
      .arg("subset", args.subset)
      .arg("weights", args.weights)
      .add(graph)
      .front();
}

}  // namespace readers

}  // namespace penstock::fn

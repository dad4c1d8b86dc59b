// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of roi_random_crop().
struct RoiRandomCropArgs {
  /// Extents of the window. Required.
  Arg<Ints> crop_shape = {};
  /// Extents inside of which the window must lie. Without them and an input it may lie anywhere.
  Arg<Ints> in_shape = {};
  /// Where it ends. Excludes `roi_shape`.
  Arg<Ints> roi_end = {};
  /// Its extents. Excludes `roi_end`.
  Arg<Ints> roi_shape = {};
  /// Where the region begins. Required.
  Arg<Ints> roi_start = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Where a window of a given shape begins that is placed at random so that as much as possible of a region of interest
/// lies in it: a larger window holds the region, a smaller one lies in it.
/// @param data  Tensor inside of which the window must lie; only its shape matters. May be left out: `{}`.
/// @return int64: a number for each axis of `crop_shape`.
inline Node roi_random_crop(Graph& graph, std::optional<Node> data, const RoiRandomCropArgs& args = {}) {
  return Call("roi_random_crop", {}, args.common)
      .input(data)
      .arg("crop_shape", args.crop_shape)
      .arg("in_shape", args.in_shape)
      .arg("roi_end", args.roi_end)
      .arg("roi_shape", args.roi_shape)
      .arg("roi_start", args.roi_start)
      .arg("seed", args.seed)
      .add(graph)
      .front();
}

}  // namespace penstock::fn

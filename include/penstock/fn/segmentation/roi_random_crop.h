// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct RoiRandomCropArgs {
  Arg<Ints> crop_shape = {};
  Arg<Ints> in_shape = {};
  Arg<Ints> roi_end = {};
  Arg<Ints> roi_shape = {};
  Arg<Ints> roi_start = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// Where a window of a given shape begins that is placed at random so that as much as possible of a region of interest
/// lies in it: a larger window holds the region, a smaller one lies in it.
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

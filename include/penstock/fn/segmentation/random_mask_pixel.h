// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace segmentation {

struct RandomMaskPixelArgs {
  Arg<int64_t> foreground = {};
  Constant<int64_t> seed = {};
  Arg<double> threshold = {};
  Arg<int64_t> value = {};
  CommonArgs common = {};
};
/// The place of a random element of a mask: of any, or, with `foreground`, of one in the foreground. A mask without
/// foreground gives any element's.
inline Node random_mask_pixel(Graph& graph, Node mask, const RandomMaskPixelArgs& args = {}) {
  return Call("segmentation.random_mask_pixel", {mask}, args.common)
      .arg("foreground", args.foreground)
      .arg("seed", args.seed)
      .arg("threshold", args.threshold)
      .arg("value", args.value)
      .add(graph)
      .front();
}

}  // namespace segmentation

}  // namespace penstock::fn

// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct RandomResizedCropArgs {
  Constant<bool> antialias = {};
  Constant<DType> dtype = {};
  Arg<InterpType> interp_type = {};
  Arg<InterpType> mag_filter = {};
  Arg<InterpType> min_filter = {};
  Constant<int64_t> num_attempts = {};
  Constant<Floats> random_area = {};
  Constant<Floats> random_aspect_ratio = {};
  Constant<int64_t> seed = {};
  Constant<Ints> size = {};
  CommonArgs common = {};
};
/// Resizes a random window of the image to a fixed size. All frames of a sequence share the window. With the same seed
/// `decoders.image_random_crop` cuts the same windows.
inline Node random_resized_crop(Graph& graph, Node images, const RandomResizedCropArgs& args = {}) {
  return Call("random_resized_crop", {images}, args.common)
      .arg("antialias", args.antialias)
      .arg("dtype", args.dtype)
      .arg("interp_type", args.interp_type)
      .arg("mag_filter", args.mag_filter)
      .arg("min_filter", args.min_filter)
      .arg("num_attempts", args.num_attempts)
      .arg("random_area", args.random_area)
      .arg("random_aspect_ratio", args.random_aspect_ratio)
      .arg("seed", args.seed)
      .arg("size", args.size)
      .add(graph)
      .front();
}

}  // namespace penstock::fn

// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of random_resized_crop().
struct RandomResizedCropArgs {
  /// Widens filters along axes that shrink, so that no detail too fine for the result folds back into it. Default:
  /// `true`.
  Constant<bool> antialias = {};
  /// Type of the result: the input's, or FLOAT.
  Constant<DType> dtype = {};
  /// Filter, unless `min_filter` or `mag_filter` says otherwise. Default: `InterpType::kLinear`.
  Arg<InterpType> interp_type = {};
  /// Filter along axes that grow.
  Arg<InterpType> mag_filter = {};
  /// Filter along axes that shrink.
  Arg<InterpType> min_filter = {};
  /// Draws before the nearest window that fits is taken. Default: `10`.
  Constant<int64_t> num_attempts = {};
  /// Least and greatest share of the image's area. Default: `{0.08, 1.0}`.
  Constant<Floats> random_area = {};
  /// Least and greatest width / height. Default: `{0.75, 1.3333334}`.
  Constant<Floats> random_aspect_ratio = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Height and width of the result, or one value for both. Required.
  Constant<Ints> size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Resizes a random window of the image to a fixed size. All frames of a sequence share the window. With the same seed
/// `decoders.image_random_crop` cuts the same windows.
/// @param images  uint8, int16, uint16 or float. Layouts: HWC, FHWC, CHW, FCHW, CFHW.
/// @return The window, of the input's type or FLOAT.
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

// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct CropMirrorNormalizeArgs {
  Arg<Floats> crop = {};
  Arg<double> crop_d = {};
  Arg<double> crop_h = {};
  Arg<double> crop_pos_x = {};
  Arg<double> crop_pos_y = {};
  Arg<double> crop_pos_z = {};
  Arg<double> crop_w = {};
  Constant<DType> dtype = {};
  Constant<Floats> fill_values = {};
  Arg<Floats> mean = {};
  Arg<int64_t> mirror = {};
  Constant<std::string> out_of_bounds_policy = {};
  Constant<std::string> output_layout = {};
  Constant<bool> pad_output = {};
  Constant<std::string> rounding = {};
  Constant<double> scale = {};
  Constant<double> shift = {};
  Arg<Floats> std = {};
  CommonArgs common = {};
};
/// Crops, mirrors, normalizes and permutes images in one pass: scale * (x - mean) / std + shift.
///
/// Without crop arguments the whole image is taken.
inline Node crop_mirror_normalize(Graph& graph, Node images, const CropMirrorNormalizeArgs& args = {}) {
  return Call("crop_mirror_normalize", {images}, args.common)
      .arg("crop", args.crop)
      .arg("crop_d", args.crop_d)
      .arg("crop_h", args.crop_h)
      .arg("crop_pos_x", args.crop_pos_x)
      .arg("crop_pos_y", args.crop_pos_y)
      .arg("crop_pos_z", args.crop_pos_z)
      .arg("crop_w", args.crop_w)
      .arg("dtype", args.dtype)
      .arg("fill_values", args.fill_values)
      .arg("mean", args.mean)
      .arg("mirror", args.mirror)
      .arg("out_of_bounds_policy", args.out_of_bounds_policy)
      .arg("output_layout", args.output_layout)
      .arg("pad_output", args.pad_output)
      .arg("rounding", args.rounding)
      .arg("scale", args.scale)
      .arg("shift", args.shift)
      .arg("std", args.std)
      .add(graph)
      .front();
}

}  // namespace penstock::fn

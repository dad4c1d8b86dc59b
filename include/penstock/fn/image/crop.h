// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct CropArgs {
  Arg<Floats> crop = {};
  Arg<double> crop_d = {};
  Arg<double> crop_h = {};
  Arg<double> crop_pos_x = {};
  Arg<double> crop_pos_y = {};
  Arg<double> crop_pos_z = {};
  Arg<double> crop_w = {};
  Constant<DType> dtype = {};
  Constant<Floats> fill_values = {};
  Constant<std::string> out_of_bounds_policy = {};
  Constant<std::string> rounding = {};
  CommonArgs common = {};
};
/// Cuts a window of fixed size out of each sample.
inline Node crop(Graph& graph, Node images, const CropArgs& args = {}) {
  return Call("crop", {images}, args.common)
      .arg("crop", args.crop)
      .arg("crop_d", args.crop_d)
      .arg("crop_h", args.crop_h)
      .arg("crop_pos_x", args.crop_pos_x)
      .arg("crop_pos_y", args.crop_pos_y)
      .arg("crop_pos_z", args.crop_pos_z)
      .arg("crop_w", args.crop_w)
      .arg("dtype", args.dtype)
      .arg("fill_values", args.fill_values)
      .arg("out_of_bounds_policy", args.out_of_bounds_policy)
      .arg("rounding", args.rounding)
      .add(graph)
      .front();
}

}  // namespace penstock::fn

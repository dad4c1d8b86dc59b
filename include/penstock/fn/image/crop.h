// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of crop().
struct CropArgs {
  /// Extent of the window as (height, width) or (depth, height, width); fractions are dropped. Excludes `crop_h`,
  /// `crop_w` and `crop_d`. Default: `{}`.
  Arg<Floats> crop = {};
  /// Depth of the window, or its frames where there is no depth axis; 0 keeps all.
  Arg<double> crop_d = {};
  /// Height of the window; 0 keeps all. Needs `crop_w`.
  Arg<double> crop_h = {};
  /// Where the window lies: 0 at the left edge, 1 at the right. Default: `0.5`.
  Arg<double> crop_pos_x = {};
  /// Where the window lies: 0 at the top, 1 at the bottom. Default: `0.5`.
  Arg<double> crop_pos_y = {};
  /// Where the window lies along the depth (or the frames): 0 first. Default: `0.5`.
  Arg<double> crop_pos_z = {};
  /// Width of the window; 0 keeps all. Needs `crop_h`.
  Arg<double> crop_w = {};
  /// Type of the output: FLOAT, FLOAT16 or UINT8; the input's when not given. Fractions are dropped.
  Constant<DType> dtype = {};
  /// Value of the padded area: one for all channels, or one per channel. Default: `{0.0}`.
  Constant<Floats> fill_values = {};
  /// What to do where the window sticks out of the input: "error", "pad" or "const" (fill with `fill_values`) or
  /// "trim_to_shape" (make the window smaller); `crop` and `slice` also know "edge" or "clamp", "reflect_1001" or
  /// "reflect", "reflect_101" and "wrap". Default: `"error"`.
  Constant<std::string> out_of_bounds_policy = {};
  /// How a window's position becomes whole pixels: "round" (half away from zero) or "truncate". Default: `"round"`.
  Constant<std::string> rounding = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Cuts a window of fixed size out of each sample.
/// @param images  Images, volumes or sequences with a channel axis. Layouts: HWC, CHW, DHWC, CDHW, FHWC, FCHW, CFHW,
/// FDHWC, FCDHW, CFDHW.
/// @return The window; layout as the input.
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

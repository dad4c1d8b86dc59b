// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of resize_crop_mirror().
struct ResizeCropMirrorArgs {
  /// Widens filters along axes that shrink, so that no detail too fine for the result folds back into it. Default:
  /// `true`.
  Constant<bool> antialias = {};
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
  /// Type of the result: the input's, or FLOAT.
  Constant<DType> dtype = {};
  /// Filter, unless `min_filter` or `mag_filter` says otherwise. Default: `InterpType::kLinear`.
  Arg<InterpType> interp_type = {};
  /// Filter along axes that grow.
  Arg<InterpType> mag_filter = {};
  /// Limit of the result's extents, for each axis or for all. Default: `{}`.
  Constant<Floats> max_size = {};
  /// Filter along axes that shrink.
  Arg<InterpType> min_filter = {};
  /// Which axes are turned around, by bits: 1 left to right, 2 top to bottom, 4 front to back. Default: `0`.
  Arg<int64_t> mirror = {};
  /// What the requested extents mean: "default" (exact; axes that are not given scale alike), "stretch" (exact; axes
  /// that are not given stay), "not_larger" or "not_smaller" (an upper or lower limit; the aspect ratio is kept).
  /// Default: `"default"`.
  Constant<std::string> mode = {};
  /// Length of the result's longer side; the aspect ratio is kept. Default: `0.0`.
  Arg<double> resize_longer = {};
  /// Length of the result's shorter side; the aspect ratio is kept. Default: `0.0`.
  Arg<double> resize_shorter = {};
  /// Width of the result; 0: follows from the others. Negative flips. Default: `0.0`.
  Arg<double> resize_x = {};
  /// Height of the result. Default: `0.0`.
  Arg<double> resize_y = {};
  /// Depth of the result. Default: `0.0`.
  Arg<double> resize_z = {};
  /// Where it ends; before its start: the result is flipped. Default: `{}`.
  Arg<Floats> roi_end = {};
  /// The region of interest is given in parts of the extents. Default: `false`.
  Constant<bool> roi_relative = {};
  /// Where the region of interest begins, in the layout's order. Default: `{}`.
  Arg<Floats> roi_start = {};
  /// How a window's position becomes whole pixels: "round" (half away from zero) or "truncate". Default: `"round"`.
  Constant<std::string> rounding = {};
  /// Extents of the result in the layout's order, (height, width) or (depth, height, width), or one value for all axes;
  /// 0: follows from the others. Default: `{}`.
  Arg<Floats> size = {};
  /// Keeps the scale exact where the size had to be rounded, by adjusting the region that is read by less than a pixel.
  /// Default: `true`.
  Constant<bool> subpixel_scale = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Resizes, cuts a window out of the result and turns it around; only the window is computed. A window larger than the
/// resized image repeats the image's border.
/// @param images  uint8, int16, uint16 or float. Layouts: HWC, FHWC, CHW, FCHW, CFHW, DHWC, FDHWC, CDHW, FCDHW, CFDHW.
/// @return The window, of the input's type or FLOAT.
inline Node resize_crop_mirror(Graph& graph, Node images, const ResizeCropMirrorArgs& args = {}) {
  return Call("resize_crop_mirror", {images}, args.common)
      .arg("antialias", args.antialias)
      .arg("crop", args.crop)
      .arg("crop_d", args.crop_d)
      .arg("crop_h", args.crop_h)
      .arg("crop_pos_x", args.crop_pos_x)
      .arg("crop_pos_y", args.crop_pos_y)
      .arg("crop_pos_z", args.crop_pos_z)
      .arg("crop_w", args.crop_w)
      .arg("dtype", args.dtype)
      .arg("interp_type", args.interp_type)
      .arg("mag_filter", args.mag_filter)
      .arg("max_size", args.max_size)
      .arg("min_filter", args.min_filter)
      .arg("mirror", args.mirror)
      .arg("mode", args.mode)
      .arg("resize_longer", args.resize_longer)
      .arg("resize_shorter", args.resize_shorter)
      .arg("resize_x", args.resize_x)
      .arg("resize_y", args.resize_y)
      .arg("resize_z", args.resize_z)
      .arg("roi_end", args.roi_end)
      .arg("roi_relative", args.roi_relative)
      .arg("roi_start", args.roi_start)
      .arg("rounding", args.rounding)
      .arg("size", args.size)
      .arg("subpixel_scale", args.subpixel_scale)
      .add(graph)
      .front();
}

}  // namespace penstock::fn

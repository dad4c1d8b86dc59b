// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of resize().
struct ResizeArgs {
  /// Widens filters along axes that shrink, so that no detail too fine for the result folds back into it. Default:
  /// `true`.
  Constant<bool> antialias = {};
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
  /// Adds an output with the extents that the input had. Default: `false`.
  Constant<bool> save_attrs = {};
  /// Extents of the result in the layout's order, (height, width) or (depth, height, width), or one value for all axes;
  /// 0: follows from the others. Default: `{}`.
  Arg<Floats> size = {};
  /// Keeps the scale exact where the size had to be rounded, by adjusting the region that is read by less than a pixel.
  /// Default: `true`.
  Constant<bool> subpixel_scale = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Resizes images, volumes, or every frame of a sequence. The size is given in one of four ways: `size`; `resize_x`,
/// `resize_y` and `resize_z`; `resize_shorter`; `resize_longer`.
/// @param data  uint8, int16, uint16 or float. Layouts: HWC, FHWC, CHW, FCHW, CFHW, DHWC, FDHWC, CDHW, FCDHW, CFDHW.
/// @return in this order:
/// - `resized`: The image, of the input's type or FLOAT.
/// - `attributes`: With `save_attrs`: the spatial extents of the input, int32.
inline std::vector<Node> resize(Graph& graph, Node data, const ResizeArgs& args = {}) {
  return Call("resize", {data}, args.common)
      .arg("antialias", args.antialias)
      .arg("dtype", args.dtype)
      .arg("interp_type", args.interp_type)
      .arg("mag_filter", args.mag_filter)
      .arg("max_size", args.max_size)
      .arg("min_filter", args.min_filter)
      .arg("mode", args.mode)
      .arg("resize_longer", args.resize_longer)
      .arg("resize_shorter", args.resize_shorter)
      .arg("resize_x", args.resize_x)
      .arg("resize_y", args.resize_y)
      .arg("resize_z", args.resize_z)
      .arg("roi_end", args.roi_end)
      .arg("roi_relative", args.roi_relative)
      .arg("roi_start", args.roi_start)
      .arg("save_attrs", args.save_attrs)
      .arg("size", args.size)
      .arg("subpixel_scale", args.subpixel_scale)
      .add(graph);
}

}  // namespace penstock::fn

// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of tensor_resize().
struct TensorResizeArgs {
  /// Which point of the input stays where it is when an extent had to be rounded: 0, the start, to 1, the end; one for
  /// each of `axes`, or one for all. Default: `{0.5}`.
  Arg<Floats> alignment = {};
  /// Widens filters along axes that shrink, so that no detail too fine for the result folds back into it. Default:
  /// `true`.
  Constant<bool> antialias = {};
  /// Axes that are resized; all when not given. Default: `{}`.
  Constant<Ints> axes = {};
  /// The same by their letters in the layout. Excludes `axes`. Default: `""`.
  Constant<std::string> axis_names = {};
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
  /// Where it ends; before its start: the result is flipped. Default: `{}`.
  Arg<Floats> roi_end = {};
  /// The region of interest is given in parts of the extents. Default: `false`.
  Constant<bool> roi_relative = {};
  /// Where the region of interest begins, in the layout's order. Default: `{}`.
  Arg<Floats> roi_start = {};
  /// Factors of the extents that the input has, likewise. Default: `{}`.
  Arg<Floats> scales = {};
  /// How extents become whole: "round", "truncate" or "ceil". Default: `"round"`.
  Constant<std::string> size_rounding = {};
  /// Extents of the result: one for each of `axes`, or one for all; 0: follows from the others. Excludes `scales`.
  /// Default: `{}`.
  Arg<Floats> sizes = {};
  /// Keeps the scale exact where the size had to be rounded, by adjusting the region that is read by less than a pixel.
  /// Default: `true`.
  Constant<bool> subpixel_scale = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Resizes axes of a tensor, whatever they mean: up to three neighbours at once. The others stay as they are.
/// @param data  uint8, int16, uint16 or float, of any shape and layout.
/// @return The tensor, of the input's type or FLOAT.
inline Node tensor_resize(Graph& graph, Node data, const TensorResizeArgs& args = {}) {
  return Call("tensor_resize", {data}, args.common)
      .arg("alignment", args.alignment)
      .arg("antialias", args.antialias)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("dtype", args.dtype)
      .arg("interp_type", args.interp_type)
      .arg("mag_filter", args.mag_filter)
      .arg("max_size", args.max_size)
      .arg("min_filter", args.min_filter)
      .arg("mode", args.mode)
      .arg("roi_end", args.roi_end)
      .arg("roi_relative", args.roi_relative)
      .arg("roi_start", args.roi_start)
      .arg("scales", args.scales)
      .arg("size_rounding", args.size_rounding)
      .arg("sizes", args.sizes)
      .arg("subpixel_scale", args.subpixel_scale)
      .add(graph)
      .front();
}

}  // namespace penstock::fn

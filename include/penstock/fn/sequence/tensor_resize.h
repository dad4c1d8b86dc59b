// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct TensorResizeArgs {
  Arg<Floats> alignment = {};
  Constant<bool> antialias = {};
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<DType> dtype = {};
  Arg<InterpType> interp_type = {};
  Arg<InterpType> mag_filter = {};
  Constant<Floats> max_size = {};
  Arg<InterpType> min_filter = {};
  Constant<std::string> mode = {};
  Arg<Floats> roi_end = {};
  Constant<bool> roi_relative = {};
  Arg<Floats> roi_start = {};
  Arg<Floats> scales = {};
  Constant<std::string> size_rounding = {};
  Arg<Floats> sizes = {};
  Constant<bool> subpixel_scale = {};
  CommonArgs common = {};
};
/// Resizes axes of a tensor, whatever they mean: up to three neighbours at once. The others stay as they are.
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

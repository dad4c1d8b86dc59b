// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ResizeArgs {
  Constant<bool> antialias = {};
  Constant<DType> dtype = {};
  Arg<InterpType> interp_type = {};
  Arg<InterpType> mag_filter = {};
  Constant<Floats> max_size = {};
  Arg<InterpType> min_filter = {};
  Constant<std::string> mode = {};
  Arg<double> resize_longer = {};
  Arg<double> resize_shorter = {};
  Arg<double> resize_x = {};
  Arg<double> resize_y = {};
  Arg<double> resize_z = {};
  Arg<Floats> roi_end = {};
  Constant<bool> roi_relative = {};
  Arg<Floats> roi_start = {};
  Constant<bool> save_attrs = {};
  Arg<Floats> size = {};
  Constant<bool> subpixel_scale = {};
  CommonArgs common = {};
};
/// Resizes images, volumes, or every frame of a sequence. The size is given in one of four ways: `size`; `resize_x`,
/// `resize_y` and `resize_z`; `resize_shorter`; `resize_longer`.
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

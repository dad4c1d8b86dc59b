// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ResizeCropMirrorArgs {
  Constant<bool> antialias = {};
  Arg<Floats> crop = {};
  Arg<double> crop_d = {};
  Arg<double> crop_h = {};
  Arg<double> crop_pos_x = {};
  Arg<double> crop_pos_y = {};
  Arg<double> crop_pos_z = {};
  Arg<double> crop_w = {};
  Constant<DType> dtype = {};
  Arg<InterpType> interp_type = {};
  Arg<InterpType> mag_filter = {};
  Constant<Floats> max_size = {};
  Arg<InterpType> min_filter = {};
  Arg<int64_t> mirror = {};
  Constant<std::string> mode = {};
  Arg<double> resize_longer = {};
  Arg<double> resize_shorter = {};
  Arg<double> resize_x = {};
  Arg<double> resize_y = {};
  Arg<double> resize_z = {};
  Arg<Floats> roi_end = {};
  Constant<bool> roi_relative = {};
  Arg<Floats> roi_start = {};
  Constant<std::string> rounding = {};
  Arg<Floats> size = {};
  Constant<bool> subpixel_scale = {};
  CommonArgs common = {};
};
/// Resizes, cuts a window out of the result and turns it around; only the window is computed. A window larger than the
/// resized image repeats the image's border.
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

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

struct FastResizeCropMirrorArgs {
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
/// `resize_crop_mirror` without antialiasing, under DALI's older name.
inline Node fast_resize_crop_mirror(Graph& graph, Node images, const FastResizeCropMirrorArgs& args = {}) {
  return Call("fast_resize_crop_mirror", {images}, args.common)
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

struct FlipArgs {
  Arg<int64_t> depthwise = {};
  Arg<int64_t> horizontal = {};
  Arg<int64_t> vertical = {};
  CommonArgs common = {};
};
/// Mirrors images and volumes along any of their axes.
inline Node flip(Graph& graph, Node images, const FlipArgs& args = {}) {
  return Call("flip", {images}, args.common)
      .arg("depthwise", args.depthwise)
      .arg("horizontal", args.horizontal)
      .arg("vertical", args.vertical)
      .add(graph)
      .front();
}

struct RandomResizedCropArgs {
  Constant<bool> antialias = {};
  Constant<DType> dtype = {};
  Arg<InterpType> interp_type = {};
  Arg<InterpType> mag_filter = {};
  Arg<InterpType> min_filter = {};
  Constant<int64_t> num_attempts = {};
  Constant<Floats> random_area = {};
  Constant<Floats> random_aspect_ratio = {};
  Constant<int64_t> seed = {};
  Constant<Ints> size = {};
  CommonArgs common = {};
};
/// Resizes a random window of the image to a fixed size. All frames of a sequence share the window. With the same seed
/// `decoders.image_random_crop` cuts the same windows.
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

struct SliceArgs {
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<DType> dtype = {};
  Arg<Ints> end = {};
  Constant<Floats> fill_values = {};
  Constant<bool> normalized_anchor = {};
  Constant<bool> normalized_shape = {};
  Constant<std::string> out_of_bounds_policy = {};
  Arg<Floats> rel_end = {};
  Arg<Floats> rel_shape = {};
  Arg<Floats> rel_start = {};
  Arg<Ints> shape = {};
  Arg<Ints> start = {};
  CommonArgs common = {};
};
/// Cuts a window out of each sample: given by `start`, `end` and `shape`, or by two more inputs.
inline Node slice(Graph& graph, Node data, std::optional<Node> anchor, std::optional<Node> shape_input,
                  const SliceArgs& args = {}) {
  return Call("slice", {data}, args.common)
      .input(anchor)
      .input(shape_input)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("dtype", args.dtype)
      .arg("end", args.end)
      .arg("fill_values", args.fill_values)
      .arg("normalized_anchor", args.normalized_anchor)
      .arg("normalized_shape", args.normalized_shape)
      .arg("out_of_bounds_policy", args.out_of_bounds_policy)
      .arg("rel_end", args.rel_end)
      .arg("rel_shape", args.rel_shape)
      .arg("rel_start", args.rel_start)
      .arg("shape", args.shape)
      .arg("start", args.start)
      .add(graph)
      .front();
}

}  // namespace penstock::fn

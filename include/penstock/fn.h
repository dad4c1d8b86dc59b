// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
// fn::resize(graph, images, {.mode = "stretch", .size = {224, 224}}): arguments are named, in alphabetical
// order; what is left out has the default that docs/reference gives.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;
using Strings = std::vector<std::string>;

struct BatchPermutationArgs {
  Constant<bool> allow_repetitions = {};
  Constant<bool> no_fixed_points = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// A random order of the samples of a batch, for `permute_batch`.
inline Node batch_permutation(Graph& graph, const BatchPermutationArgs& args = {}) {
  return Call("batch_permutation", {}, args.common)
      .arg("allow_repetitions", args.allow_repetitions)
      .arg("no_fixed_points", args.no_fixed_points)
      .arg("seed", args.seed)
      .add(graph)
      .front();
}

struct BrightnessArgs {
  Arg<double> brightness = {};
  Arg<double> brightness_shift = {};
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Changes the brightness: brightness_shift * range + brightness * x.
inline Node brightness(Graph& graph, Node images, const BrightnessArgs& args = {}) {
  return Call("brightness", {images}, args.common)
      .arg("brightness", args.brightness)
      .arg("brightness_shift", args.brightness_shift)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

struct BrightnessContrastArgs {
  Arg<double> brightness = {};
  Arg<double> brightness_shift = {};
  Arg<double> contrast = {};
  Arg<double> contrast_center = {};
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Changes brightness and contrast: brightness_shift * range + brightness * (center + contrast * (x - center)).
inline Node brightness_contrast(Graph& graph, Node images, const BrightnessContrastArgs& args = {}) {
  return Call("brightness_contrast", {images}, args.common)
      .arg("brightness", args.brightness)
      .arg("brightness_shift", args.brightness_shift)
      .arg("contrast", args.contrast)
      .arg("contrast_center", args.contrast_center)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

struct CastArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Converts to another type: rounds to nearest, halves away from zero, and clamps to the range of the type.
inline Node cast(Graph& graph, Node data, const CastArgs& args = {}) {
  return Call("cast", {data}, args.common).arg("dtype", args.dtype).add(graph).front();
}

struct CastLikeArgs {
  CommonArgs common = {};
};
/// Converts to the type of another tensor, as `cast` does.
inline Node cast_like(Graph& graph, Node data, Node dtype_source, const CastLikeArgs& args = {}) {
  return Call("cast_like", {data, dtype_source}, args.common).add(graph).front();
}

struct CatArgs {
  Constant<int64_t> axis = {};
  Constant<std::string> axis_name = {};
  CommonArgs common = {};
};
/// Joins tensors along an axis that they have.
inline Node cat(Graph& graph, std::vector<Node> input, const CatArgs& args = {}) {
  return Call("cat", std::move(input), args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .add(graph)
      .front();
}

struct ColorSpaceConversionArgs {
  Constant<ImageType> image_type = {};
  Constant<ImageType> output_type = {};
  CommonArgs common = {};
};
/// Converts between RGB, BGR, GRAY and YCbCr (BT.601, studio range).
inline Node color_space_conversion(Graph& graph, Node images, const ColorSpaceConversionArgs& args = {}) {
  return Call("color_space_conversion", {images}, args.common)
      .arg("image_type", args.image_type)
      .arg("output_type", args.output_type)
      .add(graph)
      .front();
}

struct ColorTwistArgs {
  Arg<double> brightness = {};
  Arg<double> contrast = {};
  Constant<DType> dtype = {};
  Arg<double> hue = {};
  Arg<double> saturation = {};
  CommonArgs common = {};
};
/// Changes hue, saturation, brightness and contrast.
///
/// A linear approximation in YIQ space, not a true HSV.
inline Node color_twist(Graph& graph, Node images, const ColorTwistArgs& args = {}) {
  return Call("color_twist", {images}, args.common)
      .arg("brightness", args.brightness)
      .arg("contrast", args.contrast)
      .arg("dtype", args.dtype)
      .arg("hue", args.hue)
      .arg("saturation", args.saturation)
      .add(graph)
      .front();
}

struct ContrastArgs {
  Arg<double> contrast = {};
  Arg<double> contrast_center = {};
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Changes the contrast: center + contrast * (x - center).
inline Node contrast(Graph& graph, Node images, const ContrastArgs& args = {}) {
  return Call("contrast", {images}, args.common)
      .arg("contrast", args.contrast)
      .arg("contrast_center", args.contrast_center)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

struct CopyArgs {
  CommonArgs common = {};
};
/// Copies the data.
inline Node copy(Graph& graph, Node data, const CopyArgs& args = {}) {
  return Call("copy", {data}, args.common).add(graph).front();
}

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

namespace decoders {

struct ImageArgs {
  Constant<bool> adjust_orientation = {};
  Constant<DType> dtype = {};
  Constant<ImageType> output_type = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes images: JPEG, PNG, TIFF, BMP, PNM, WebP. The format is told by the contents.
///
/// A crop or slice that follows is pushed into the decoder, which then decodes only what is kept.
inline Node image(Graph& graph, Node encoded, const ImageArgs& args = {}) {
  return Call("decoders.image", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("dtype", args.dtype)
      .arg("output_type", args.output_type)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

struct ImageCropArgs {
  Constant<bool> adjust_orientation = {};
  Arg<Floats> crop = {};
  Arg<double> crop_d = {};
  Arg<double> crop_h = {};
  Arg<double> crop_pos_x = {};
  Arg<double> crop_pos_y = {};
  Arg<double> crop_pos_z = {};
  Arg<double> crop_w = {};
  Constant<DType> dtype = {};
  Constant<ImageType> output_type = {};
  Constant<std::string> rounding = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes a window of fixed size of an image, without decoding what lies around it.
inline Node image_crop(Graph& graph, Node encoded, const ImageCropArgs& args = {}) {
  return Call("decoders.image_crop", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("crop", args.crop)
      .arg("crop_d", args.crop_d)
      .arg("crop_h", args.crop_h)
      .arg("crop_pos_x", args.crop_pos_x)
      .arg("crop_pos_y", args.crop_pos_y)
      .arg("crop_pos_z", args.crop_pos_z)
      .arg("crop_w", args.crop_w)
      .arg("dtype", args.dtype)
      .arg("output_type", args.output_type)
      .arg("rounding", args.rounding)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

struct ImageRandomCropArgs {
  Constant<bool> adjust_orientation = {};
  Constant<DType> dtype = {};
  Constant<int64_t> num_attempts = {};
  Constant<ImageType> output_type = {};
  Constant<Floats> random_area = {};
  Constant<Floats> random_aspect_ratio = {};
  Constant<int64_t> seed = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes a window of random size, shape and place; the same seed gives the windows of `random_resized_crop`.
inline Node image_random_crop(Graph& graph, Node encoded, const ImageRandomCropArgs& args = {}) {
  return Call("decoders.image_random_crop", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("dtype", args.dtype)
      .arg("num_attempts", args.num_attempts)
      .arg("output_type", args.output_type)
      .arg("random_area", args.random_area)
      .arg("random_aspect_ratio", args.random_aspect_ratio)
      .arg("seed", args.seed)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

struct ImageSliceArgs {
  Constant<bool> adjust_orientation = {};
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<DType> dtype = {};
  Arg<Ints> end = {};
  Constant<bool> normalized_anchor = {};
  Constant<bool> normalized_shape = {};
  Constant<ImageType> output_type = {};
  Arg<Floats> rel_end = {};
  Arg<Floats> rel_shape = {};
  Arg<Floats> rel_start = {};
  Arg<Ints> shape = {};
  Arg<Ints> start = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes the window of an image that `start`, `end` and `shape`, or two more inputs, describe.
inline Node image_slice(Graph& graph, Node encoded, std::optional<Node> anchor, std::optional<Node> shape_input,
                        const ImageSliceArgs& args = {}) {
  return Call("decoders.image_slice", {encoded}, args.common)
      .input(anchor)
      .input(shape_input)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("dtype", args.dtype)
      .arg("end", args.end)
      .arg("normalized_anchor", args.normalized_anchor)
      .arg("normalized_shape", args.normalized_shape)
      .arg("output_type", args.output_type)
      .arg("rel_end", args.rel_end)
      .arg("rel_shape", args.rel_shape)
      .arg("rel_start", args.rel_start)
      .arg("shape", args.shape)
      .arg("start", args.start)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

}  // namespace decoders

struct ExpandDimsArgs {
  Constant<Ints> axes = {};
  Constant<std::string> new_axis_names = {};
  CommonArgs common = {};
};
/// Inserts axes of extent 1 without touching the data.
inline Node expand_dims(Graph& graph, Node data, const ExpandDimsArgs& args = {}) {
  return Call("expand_dims", {data}, args.common)
      .arg("axes", args.axes)
      .arg("new_axis_names", args.new_axis_names)
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

struct FullArgs {
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor filled with a value, repeated by the rules of broadcasting.
inline Node full(Graph& graph, Node fill_value, const FullArgs& args = {}) {
  return Call("full", {fill_value}, args.common).arg("layout", args.layout).arg("shape", args.shape).add(graph).front();
}

struct FullLikeArgs {
  CommonArgs common = {};
};
/// A tensor of the shape, type and layout of another, filled with a value.
inline Node full_like(Graph& graph, Node data_like, Node fill_value, const FullLikeArgs& args = {}) {
  return Call("full_like", {data_like, fill_value}, args.common).add(graph).front();
}

struct GetPropertyArgs {
  Constant<std::string> key = {};
  CommonArgs common = {};
};
/// What is known about a sample besides its data, as the bytes of a text.
inline Node get_property(Graph& graph, Node data, const GetPropertyArgs& args = {}) {
  return Call("get_property", {data}, args.common).arg("key", args.key).add(graph).front();
}

struct HsvArgs {
  Constant<DType> dtype = {};
  Arg<double> hue = {};
  Arg<double> saturation = {};
  Arg<double> value = {};
  CommonArgs common = {};
};
/// Changes hue, saturation and value.
///
/// A linear approximation in YIQ space, not a true HSV.
inline Node hsv(Graph& graph, Node images, const HsvArgs& args = {}) {
  return Call("hsv", {images}, args.common)
      .arg("dtype", args.dtype)
      .arg("hue", args.hue)
      .arg("saturation", args.saturation)
      .arg("value", args.value)
      .add(graph)
      .front();
}

struct HueArgs {
  Constant<DType> dtype = {};
  Arg<double> hue = {};
  CommonArgs common = {};
};
/// Changes the hue.
///
/// A linear approximation in YIQ space, not a true HSV.
inline Node hue(Graph& graph, Node images, const HueArgs& args = {}) {
  return Call("hue", {images}, args.common).arg("dtype", args.dtype).arg("hue", args.hue).add(graph).front();
}

struct NormalizeArgs {
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<bool> batch = {};
  Constant<int64_t> ddof = {};
  Constant<DType> dtype = {};
  Constant<double> epsilon = {};
  Arg<Floats> mean = {};
  Constant<double> scale = {};
  Constant<double> shift = {};
  Arg<Floats> stddev = {};
  CommonArgs common = {};
};
/// Subtracts the mean and divides by the standard deviation: scale * (x - mean) / stddev + shift.
inline Node normalize(Graph& graph, Node data, const NormalizeArgs& args = {}) {
  return Call("normalize", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("batch", args.batch)
      .arg("ddof", args.ddof)
      .arg("dtype", args.dtype)
      .arg("epsilon", args.epsilon)
      .arg("mean", args.mean)
      .arg("scale", args.scale)
      .arg("shift", args.shift)
      .arg("stddev", args.stddev)
      .add(graph)
      .front();
}

struct OneHotArgs {
  Constant<int64_t> axis = {};
  Constant<std::string> axis_name = {};
  Constant<DType> dtype = {};
  Constant<int64_t> num_classes = {};
  Constant<double> off_value = {};
  Constant<double> on_value = {};
  CommonArgs common = {};
};
/// Gives each label a vector that is `on_value` at the label's place. Without `axis`, a label of one element becomes a
/// vector whatever its number of axes.
inline Node one_hot(Graph& graph, Node labels, const OneHotArgs& args = {}) {
  return Call("one_hot", {labels}, args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .arg("dtype", args.dtype)
      .arg("num_classes", args.num_classes)
      .arg("off_value", args.off_value)
      .arg("on_value", args.on_value)
      .add(graph)
      .front();
}

struct OnesArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor full of ones.
inline Node ones(Graph& graph, const OnesArgs& args = {}) {
  return Call("ones", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct OnesLikeArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// A tensor full of ones with the shape and layout of another.
inline Node ones_like(Graph& graph, Node data_like, const OnesLikeArgs& args = {}) {
  return Call("ones_like", {data_like}, args.common).arg("dtype", args.dtype).add(graph).front();
}

struct PadArgs {
  Arg<Ints> align = {};
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Arg<double> fill_value = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Pads at the end of axes: to a shape, to a multiple, or else to the largest sample of the batch.
inline Node pad(Graph& graph, Node data, const PadArgs& args = {}) {
  return Call("pad", {data}, args.common)
      .arg("align", args.align)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("fill_value", args.fill_value)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct PeekImageShapeArgs {
  Constant<bool> adjust_orientation = {};
  Constant<DType> dtype = {};
  Constant<ImageType> image_type = {};
  CommonArgs common = {};
};
/// The shape that an encoded image will have once decoded, from its header alone.
inline Node peek_image_shape(Graph& graph, Node encoded, const PeekImageShapeArgs& args = {}) {
  return Call("peek_image_shape", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("dtype", args.dtype)
      .arg("image_type", args.image_type)
      .add(graph)
      .front();
}

struct PermuteBatchArgs {
  Arg<Ints> indices = {};
  CommonArgs common = {};
};
/// Rearranges the samples of a batch; nothing is copied.
inline Node permute_batch(Graph& graph, Node data, const PermuteBatchArgs& args = {}) {
  return Call("permute_batch", {data}, args.common).arg("indices", args.indices).add(graph).front();
}

namespace random {

struct BetaArgs {
  Arg<double> alpha = {};
  Arg<double> beta = {};
  Constant<DType> dtype = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Numbers in [0, 1] with a beta distribution.
inline Node beta(Graph& graph, std::optional<Node> shape_like, const BetaArgs& args = {}) {
  return Call("random.beta", {}, args.common)
      .input(shape_like)
      .arg("alpha", args.alpha)
      .arg("beta", args.beta)
      .arg("dtype", args.dtype)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct ChoiceArgs {
  Arg<Floats> p = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Picks elements at random, with replacement.
inline Node choice(Graph& graph, Node a, std::optional<Node> shape_like, const ChoiceArgs& args = {}) {
  return Call("random.choice", {a}, args.common)
      .input(shape_like)
      .arg("p", args.p)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct CoinFlipArgs {
  Constant<DType> dtype = {};
  Arg<double> probability = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Gives 1 with a probability, else 0.
inline Node coin_flip(Graph& graph, std::optional<Node> shape_like, const CoinFlipArgs& args = {}) {
  return Call("random.coin_flip", {}, args.common)
      .input(shape_like)
      .arg("dtype", args.dtype)
      .arg("probability", args.probability)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct NormalArgs {
  Constant<DType> dtype = {};
  Arg<double> mean = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  Arg<double> stddev = {};
  CommonArgs common = {};
};
/// Normally distributed numbers.
inline Node normal(Graph& graph, std::optional<Node> shape_like, const NormalArgs& args = {}) {
  return Call("random.normal", {}, args.common)
      .input(shape_like)
      .arg("dtype", args.dtype)
      .arg("mean", args.mean)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .arg("stddev", args.stddev)
      .add(graph)
      .front();
}

struct UniformArgs {
  Constant<DType> dtype = {};
  Arg<Floats> range = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  Arg<Floats> values = {};
  CommonArgs common = {};
};
/// Numbers that are uniform over a range, or picked from a list.
inline Node uniform(Graph& graph, std::optional<Node> shape_like, const UniformArgs& args = {}) {
  return Call("random.uniform", {}, args.common)
      .input(shape_like)
      .arg("dtype", args.dtype)
      .arg("range", args.range)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .arg("values", args.values)
      .add(graph)
      .front();
}

}  // namespace random

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

namespace readers {

struct CaffeArgs {
  Constant<std::string> epoch_end = {};
  Constant<bool> image_available = {};
  Constant<bool> label_available = {};
  Constant<bool> lazy_init = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<Strings> path = {};
  Constant<bool> random_shuffle = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<bool> stick_to_shard = {};
  CommonArgs common = {};
};
/// Reads Caffe LMDB databases: images, encoded or as pixels, with a label. The images stay where they are in the mapped
/// file until a decoder reads them.
inline std::vector<Node> caffe(Graph& graph, const CaffeArgs& args = {}) {
  return Call("readers.caffe", {}, args.common)
      .arg("epoch_end", args.epoch_end)
      .arg("image_available", args.image_available)
      .arg("label_available", args.label_available)
      .arg("lazy_init", args.lazy_init)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("path", args.path)
      .arg("random_shuffle", args.random_shuffle)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("stick_to_shard", args.stick_to_shard)
      .add(graph);
}

struct Caffe2Args {
  Constant<int64_t> additional_inputs = {};
  Constant<bool> bbox = {};
  Constant<std::string> epoch_end = {};
  Constant<bool> image_available = {};
  Constant<int64_t> label_type = {};
  Constant<bool> lazy_init = {};
  Constant<int64_t> num_labels = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<Strings> path = {};
  Constant<bool> random_shuffle = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<bool> stick_to_shard = {};
  CommonArgs common = {};
};
/// Reads Caffe2 LMDB databases: images, encoded or as pixels, with labels. The images stay where they are in the mapped
/// file until a decoder reads them.
inline std::vector<Node> caffe2(Graph& graph, const Caffe2Args& args = {}) {
  return Call("readers.caffe2", {}, args.common)
      .arg("additional_inputs", args.additional_inputs)
      .arg("bbox", args.bbox)
      .arg("epoch_end", args.epoch_end)
      .arg("image_available", args.image_available)
      .arg("label_type", args.label_type)
      .arg("lazy_init", args.lazy_init)
      .arg("num_labels", args.num_labels)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("path", args.path)
      .arg("random_shuffle", args.random_shuffle)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("stick_to_shard", args.stick_to_shard)
      .add(graph);
}

struct FileArgs {
  Constant<bool> case_sensitive_filter = {};
  Constant<Strings> dir_filters = {};
  Constant<std::string> epoch_end = {};
  Constant<Strings> file_filters = {};
  Constant<std::string> file_list = {};
  Constant<std::string> file_root = {};
  Constant<Strings> files = {};
  Constant<Ints> labels = {};
  Constant<bool> lazy_init = {};
  Constant<int64_t> num_shards = {};
  Constant<bool> pad_last_batch = {};
  Constant<bool> random_shuffle = {};
  Constant<int64_t> seed = {};
  Constant<int64_t> shard_id = {};
  Constant<bool> shuffle_after_epoch = {};
  Constant<int64_t> shuffle_after_epoch_seed = {};
  Constant<bool> stick_to_shard = {};
  CommonArgs common = {};
};
/// Reads files as they are, with a label for each. The files are those below a directory, those named in a list file,
/// or those given.
inline std::array<Node, 2> file(Graph& graph, const FileArgs& args = {}) {
  return Call("readers.file", {}, args.common)
      .arg("case_sensitive_filter", args.case_sensitive_filter)
      .arg("dir_filters", args.dir_filters)
      .arg("epoch_end", args.epoch_end)
      .arg("file_filters", args.file_filters)
      .arg("file_list", args.file_list)
      .arg("file_root", args.file_root)
      .arg("files", args.files)
      .arg("labels", args.labels)
      .arg("lazy_init", args.lazy_init)
      .arg("num_shards", args.num_shards)
      .arg("pad_last_batch", args.pad_last_batch)
      .arg("random_shuffle", args.random_shuffle)
      .arg("seed", args.seed)
      .arg("shard_id", args.shard_id)
      .arg("shuffle_after_epoch", args.shuffle_after_epoch)
      .arg("shuffle_after_epoch_seed", args.shuffle_after_epoch_seed)
      .arg("stick_to_shard", args.stick_to_shard)
      .add<2>(graph);
}

}  // namespace readers

struct ReinterpretArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Floats> rel_shape = {};
  Arg<Ints> shape = {};
  Arg<Ints> src_dims = {};
  CommonArgs common = {};
};
/// Reads the bytes of a tensor as another type, and gives it another shape or layout.
inline Node reinterpret(Graph& graph, Node data, std::optional<Node> shape_input, const ReinterpretArgs& args = {}) {
  return Call("reinterpret", {data}, args.common)
      .input(shape_input)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("rel_shape", args.rel_shape)
      .arg("shape", args.shape)
      .arg("src_dims", args.src_dims)
      .add(graph)
      .front();
}

struct ReshapeArgs {
  Constant<std::string> layout = {};
  Arg<Floats> rel_shape = {};
  Arg<Ints> shape = {};
  Arg<Ints> src_dims = {};
  CommonArgs common = {};
};
/// Gives a tensor another shape or layout without touching its data.
inline Node reshape(Graph& graph, Node data, std::optional<Node> shape_input, const ReshapeArgs& args = {}) {
  return Call("reshape", {data}, args.common)
      .input(shape_input)
      .arg("layout", args.layout)
      .arg("rel_shape", args.rel_shape)
      .arg("shape", args.shape)
      .arg("src_dims", args.src_dims)
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

struct SaturationArgs {
  Constant<DType> dtype = {};
  Arg<double> saturation = {};
  CommonArgs common = {};
};
/// Changes the saturation.
///
/// A linear approximation in YIQ space, not a true HSV.
inline Node saturation(Graph& graph, Node images, const SaturationArgs& args = {}) {
  return Call("saturation", {images}, args.common)
      .arg("dtype", args.dtype)
      .arg("saturation", args.saturation)
      .add(graph)
      .front();
}

struct ShapesArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// The shape of each sample.
inline Node shapes(Graph& graph, Node data, const ShapesArgs& args = {}) {
  return Call("shapes", {data}, args.common).arg("dtype", args.dtype).add(graph).front();
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

struct SqueezeArgs {
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  CommonArgs common = {};
};
/// Removes axes of extent 1 without touching the data.
inline Node squeeze(Graph& graph, Node data, const SqueezeArgs& args = {}) {
  return Call("squeeze", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .add(graph)
      .front();
}

struct StackArgs {
  Constant<int64_t> axis = {};
  Constant<std::string> axis_name = {};
  CommonArgs common = {};
};
/// Joins tensors along a new axis.
inline Node stack(Graph& graph, std::vector<Node> input, const StackArgs& args = {}) {
  return Call("stack", std::move(input), args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .add(graph)
      .front();
}

struct TransposeArgs {
  Constant<std::string> output_layout = {};
  Constant<Ints> perm = {};
  Constant<bool> transpose_layout = {};
  CommonArgs common = {};
};
/// Permutes the axes.
inline Node transpose(Graph& graph, Node data, const TransposeArgs& args = {}) {
  return Call("transpose", {data}, args.common)
      .arg("output_layout", args.output_layout)
      .arg("perm", args.perm)
      .arg("transpose_layout", args.transpose_layout)
      .add(graph)
      .front();
}

struct ZerosArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor full of zeros.
inline Node zeros(Graph& graph, const ZerosArgs& args = {}) {
  return Call("zeros", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct ZerosLikeArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// A tensor full of zeros with the shape and layout of another.
inline Node zeros_like(Graph& graph, Node data_like, const ZerosLikeArgs& args = {}) {
  return Call("zeros_like", {data_like}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace penstock::fn

// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

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

}  // namespace penstock::fn

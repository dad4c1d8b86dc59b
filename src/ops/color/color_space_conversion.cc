#include <algorithm>
#include <vector>

#include "kernels/pixel/color_space.h"
#include "ops/color/pixelwise.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ColorSpaceArgs {
  ImageType image_type = ImageType::kRGB;
  ImageType output_type = ImageType::kRGB;
};

int64_t channels_of(ImageType type) { return type == ImageType::kGray ? 1 : 3; }

using kernels::Rgb;

Rgb load(const uint8_t* p) { return {p[0], p[1], p[2]}; }
void store(const Rgb& value, uint8_t* p) { std::copy(value.begin(), value.end(), p); }

template <class Fn>
void each_pixel(const uint8_t* in, int64_t n, int64_t channels_in, int64_t channels_out, uint8_t* out, Fn&& fn) {
  for (int64_t i = 0; i < n; ++i) fn(in + i * channels_in, out + i * channels_out);
}

/// Converts `n` pixels. RGB and BGR differ in the order of channels alone, so each way is written once for both.
void convert(const uint8_t* in, int64_t n, ImageType from, ImageType to, uint8_t* out) {
  const auto pixels = [&](auto&& fn) { each_pixel(in, n, channels_of(from), channels_of(to), out, fn); };
  const auto ordered = [](const Rgb& p, ImageType type) { return type == ImageType::kBGR ? kernels::reversed(p) : p; };
  if (from == to) {
    std::copy_n(in, n * channels_of(from), out);
  } else if (from == ImageType::kGray) {
    if (to == ImageType::kYCbCr)
      return pixels([](const uint8_t* p, uint8_t* q) { store({kernels::compressed(*p), 128, 128}, q); });
    pixels([](const uint8_t* p, uint8_t* q) { store({*p, *p, *p}, q); });
  } else if (from == ImageType::kYCbCr) {
    if (to == ImageType::kGray) return pixels([](const uint8_t* p, uint8_t* q) { *q = kernels::expanded(*p); });
    pixels([&](const uint8_t* p, uint8_t* q) { store(ordered(kernels::from_ycbcr(load(p)), to), q); });
  } else if (to == ImageType::kGray) {
    pixels([&](const uint8_t* p, uint8_t* q) { *q = kernels::luma(ordered(load(p), from)); });
  } else if (to == ImageType::kYCbCr) {
    pixels([&](const uint8_t* p, uint8_t* q) { store(kernels::to_ycbcr(ordered(load(p), from)), q); });
  } else {
    pixels([](const uint8_t* p, uint8_t* q) { store(kernels::reversed(load(p)), q); });
  }
}

using kernels::ColourStep;

/// The same as convert(), step by step.
std::vector<ColourStep> steps(ImageType from, ImageType to) {
  if (from == to) return {};
  if (from == ImageType::kGray) return {to == ImageType::kYCbCr ? ColourStep::kCompress : ColourStep::kSpread};
  if (from == ImageType::kYCbCr && to == ImageType::kGray) return {ColourStep::kExpand};
  std::vector<ColourStep> list;
  if (from == ImageType::kYCbCr) list.push_back(ColourStep::kFromYCbCr);
  if (from == ImageType::kBGR || to == ImageType::kBGR) list.push_back(ColourStep::kReverse);
  if (to == ImageType::kGray) list.push_back(ColourStep::kLuma);
  if (to == ImageType::kYCbCr) list.push_back(ColourStep::kToYCbCr);
  return list;
}

class ColorSpaceConversion final : public PixelwiseOperator<ColorSpaceArgs>, public ElementForm {
 public:
  ColorSpaceConversion() { program_ = {.takes_pixels = true, .keeps_pixels = true, .instructions = 3}; }
  void setup() override {
    for (const ImageType type : {constants().image_type, constants().output_type})
      PENSTOCK_CHECK(type >= ImageType::kRGB && type <= ImageType::kYCbCr, ArgumentError,
                     "colour space {} is not supported; use RGB, BGR, GRAY or YCbCr", static_cast<int>(type));
  }
  void infer(Sample& s) const override {
    PENSTOCK_CHECK(s.in(0).tensor.dtype == DType::kUInt8, TypeError,
                   "Color space conversion accept only uint8 tensors, got {}", name_of(s.in(0).tensor.dtype));
    PENSTOCK_CHECK(channels_in(s) == channels_of(args(s).image_type), ArgumentError,
                   "Incorrect number of channels: `image_type` has {}, the input {}", channels_of(args(s).image_type),
                   channels_in(s));
    infer_pixels(s, DType::kUInt8, channels_of(args(s).output_type));
  }
  void run(Sample& s) const override {
    const ImageType from = args(s).image_type, to = args(s).output_type;
    for_each_run(s.in(0), s.out(0), [&](int64_t first_in, int64_t first_out, int64_t pixels) {
      convert(s.in(0).tensor.as<uint8_t>() + first_in * channels_of(from), pixels, from, to,
              s.out(0).tensor.as<uint8_t>() + first_out * channels_of(to));
    });
  }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    work.begin(held_part(s.out(0)));
    work.take_pixels(work.shape().ndim() - 1, channels_in(s));
    work.load(work.input(0, held_part(s.in(0)), view_in_place(s.in(0), s.out(0))));
    for (const ColourStep step : steps(args(s).image_type, args(s).output_type))
      work.add({.step = kernels::Step::kColours, .option = static_cast<uint8_t>(step)}, DType::kUInt8);
  }
};

}  // namespace

[[gnu::cold]] void register_color_space_conversion(Registry& r) {
  r.add<ColorSpaceConversion>("color_space_conversion")
      .doc("Converts between RGB, BGR, GRAY and YCbCr (BT.601, studio range).")
      .input("images", {"FDHWC", "FHWC", "DHWC", "HWC"}, "uint8 images, volumes or sequences.")
      .output("converted", "Layout as the input.")
      .arg("image_type", &ColorSpaceArgs::image_type, "Colours of the input.", kRequired)
      .arg("output_type", &ColorSpaceArgs::output_type, "Colours of the output.", kRequired)
      .example({{"image_type", ImageType::kRGB}, {"output_type", ImageType::kYCbCr}});
}

}  // namespace penstock

#include <algorithm>
#include <array>

#include "core/convert.h"
#include "ops/color/pixelwise.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ColorSpaceArgs {
  ImageType image_type = ImageType::kRGB;
  ImageType output_type = ImageType::kRGB;
};

int64_t channels_of(ImageType type) { return type == ImageType::kGray ? 1 : 3; }

using Rgb = std::array<uint8_t, 3>;

uint8_t rounded(float value) { return convert_sat<uint8_t>(value); }

/// BT.601 luma in 15-bit fixed point: what OpenCV, and so DALI on the CPU, computes.
uint8_t luma(const Rgb& p) {
  return static_cast<uint8_t>((p[0] * 9798 + p[1] * 19235 + p[2] * 3735 + (1 << 14)) >> 15);
}

// BT.601 in studio range: black is 16, white is 235.
constexpr float kExpand = 255.f / 219, kCompress = 219.f / 255;

Rgb to_ycbcr(const Rgb& p) {
  const float r = p[0], g = p[1], b = p[2];
  return {rounded(.25678823529f * r + .50412941176f * g + .09790588235f * b + 16.f),
          rounded(-.14822289945f * r + -.29099278682f * g + .43921568627f * b + 128.f),
          rounded(.43921568627f * r + -.36778831435f * g + -.07142737192f * b + 128.f)};
}

Rgb from_ycbcr(const Rgb& p) {
  const float y = kExpand * (static_cast<float>(p[0]) - 16), b = static_cast<float>(p[1]) - 128,
              r = static_cast<float>(p[2]) - 128;
  return {rounded(y + 1.5960267848f * r), rounded(y - .39176228842f * b - .81296764538f * r),
          rounded(y + 2.0172321417f * b)};
}

uint8_t expanded(uint8_t y) { return rounded(kExpand * (static_cast<float>(y) - 16)); }
uint8_t compressed(uint8_t gray) { return rounded(static_cast<float>(gray) * kCompress + 16.f); }

Rgb load(const uint8_t* p) { return {p[0], p[1], p[2]}; }
void store(const Rgb& value, uint8_t* p) { std::copy(value.begin(), value.end(), p); }
Rgb reversed(const Rgb& p) { return {p[2], p[1], p[0]}; }

template <class Fn>
void each_pixel(const uint8_t* in, int64_t n, int64_t channels_in, int64_t channels_out, uint8_t* out, Fn&& fn) {
  for (int64_t i = 0; i < n; ++i) fn(in + i * channels_in, out + i * channels_out);
}

/// Converts `n` pixels. RGB and BGR differ in the order of channels alone, so each way is written once for both.
void convert(const uint8_t* in, int64_t n, ImageType from, ImageType to, uint8_t* out) {
  const auto pixels = [&](auto&& fn) { each_pixel(in, n, channels_of(from), channels_of(to), out, fn); };
  const auto ordered = [](const Rgb& p, ImageType type) { return type == ImageType::kBGR ? reversed(p) : p; };
  if (from == to) {
    std::copy_n(in, n * channels_of(from), out);
  } else if (from == ImageType::kGray) {
    if (to == ImageType::kYCbCr)
      return pixels([](const uint8_t* p, uint8_t* q) { store({compressed(*p), 128, 128}, q); });
    pixels([](const uint8_t* p, uint8_t* q) { store({*p, *p, *p}, q); });
  } else if (from == ImageType::kYCbCr) {
    if (to == ImageType::kGray) return pixels([](const uint8_t* p, uint8_t* q) { *q = expanded(*p); });
    pixels([&](const uint8_t* p, uint8_t* q) { store(ordered(from_ycbcr(load(p)), to), q); });
  } else if (to == ImageType::kGray) {
    pixels([&](const uint8_t* p, uint8_t* q) { *q = luma(ordered(load(p), from)); });
  } else if (to == ImageType::kYCbCr) {
    pixels([&](const uint8_t* p, uint8_t* q) { store(to_ycbcr(ordered(load(p), from)), q); });
  } else {
    pixels([](const uint8_t* p, uint8_t* q) { store(reversed(load(p)), q); });
  }
}

class ColorSpaceConversion final : public PixelwiseOperator<ColorSpaceArgs> {
 public:
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
};

}  // namespace

void register_color_space_conversion(Registry& r) {
  r.add<ColorSpaceConversion>("color_space_conversion")
      .doc("Converts between RGB, BGR, GRAY and YCbCr (BT.601, studio range).")
      .input("images", {"FDHWC", "FHWC", "DHWC", "HWC"}, "uint8 images, volumes or sequences.")
      .output("converted", "Layout as the input.")
      .arg("image_type", &ColorSpaceArgs::image_type, "Colours of the input.", kRequired)
      .arg("output_type", &ColorSpaceArgs::output_type, "Colours of the output.", kRequired);
}

}  // namespace penstock

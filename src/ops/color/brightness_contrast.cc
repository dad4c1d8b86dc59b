#include <limits>

#include "core/convert.h"
#include "kernels/pixel/color.h"
#include "ops/color/pixelwise.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct BrightnessContrastArgs {
  float brightness = 1, brightness_shift = 0, contrast = 1;
  std::optional<float> contrast_center;
  std::optional<DType> dtype;
};

/// The highest value of an element type; 1 for floats.
template <class T>
constexpr float range_of() {
  return std::is_floating_point_v<T> ? 1.f : static_cast<float>(std::numeric_limits<T>::max());
}

/// Mid-gray: 0.5, or half of the number of positive values, which is a power of two.
template <class T>
constexpr float middle_of() {
  return std::is_floating_point_v<T> ? 0.5f : static_cast<float>(std::numeric_limits<T>::max() / 2 + 1);
}

/// One operator under three names, which differ in the arguments that they offer.
class BrightnessContrast final : public PixelwiseOperator<BrightnessContrastArgs>, public ElementForm {
 public:
  BrightnessContrast() { program_ = {.keeps_pixels = true, .instructions = 5}; }
  void setup() override {
    if (constants().dtype) check_type<uint8_t, int16_t, int32_t, float>("output", *constants().dtype);
  }
  void infer(Sample& s) const override {
    check_type<uint8_t, int16_t, int32_t, float>("input", s.in(0).tensor.dtype);
    infer_pixels(s, args(s).dtype.value_or(s.in(0).tensor.dtype), channels_in(s));
  }
  void run(Sample& s) const override {
    dispatch_pixels<uint8_t, int16_t, int32_t, float>(
        s, [&](auto in, auto out) { adjust<typename decltype(in)::type, typename decltype(out)::type>(s); });
  }

  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    work.begin(held_part(s.out(0)));
    work.load(work.input(0, held_part(s.in(0)), view_in_place(s.in(0), s.out(0))));
    work.convert(DType::kFloat);
    dispatch_pixels<uint8_t, int16_t, int32_t, float>(s, [&](auto in, auto out) {
      const Line line = line_for<typename decltype(in)::type, typename decltype(out)::type>(args(s));
      work.apply(kernels::Code::kMul, line.factor);
      work.apply(kernels::Code::kAdd, line.summand);
    });
    work.convert(s.out(0).tensor.dtype);
  }

 private:
  struct Line {
    float factor, summand;
  };
  template <class In, class Out>
  static Line line_for(const BrightnessContrastArgs& args) {
    const float center = args.contrast_center.value_or(middle_of<In>());
    return {args.brightness * args.contrast,
            args.brightness_shift * range_of<Out>() + args.brightness * (center - center * args.contrast)};
  }
  template <class In, class Out>
  void adjust(Sample& s) const {
    const auto [factor, summand] = line_for<In, Out>(args(s));
    const int64_t channels = channels_in(s);
    for_each_run(s.in(0), s.out(0), [&, factor = factor, summand = summand](int64_t from, int64_t to, int64_t pixels) {
      const In* in = s.in(0).tensor.as<In>() + from * channels;
      Out* out = s.out(0).tensor.as<Out>() + to * channels;
      const int64_t n = pixels * channels;
      if constexpr (std::is_same_v<In, uint8_t> && std::is_same_v<Out, uint8_t>) {
        kernels::affine_row(in, static_cast<size_t>(n), factor, summand, out);
      } else {
        for (int64_t i = 0; i < n; ++i) out[i] = convert_sat<Out>(static_cast<float>(in[i]) * factor + summand);
      }
    });
  }
};

using Builder = OpBuilder<BrightnessContrast>;
using Args = BrightnessContrastArgs;

Builder describe(Registry& r, const char* name, const char* doc) {
  Builder builder = r.add<BrightnessContrast>(name);
  builder.doc(doc)
      .input("images", {"FHWC", "DHWC", "HWC"}, "Images, volumes or sequences: uint8, int16, int32 or float.")
      .output("adjusted", "Shape and layout as the input.")
      .tolerance(1)
      .arg("dtype", &Args::dtype, "UINT8, INT16, INT32 or FLOAT; the input's when not given.");
  return builder;
}

Builder add_brightness(Builder builder) {
  return builder.arg("brightness", &Args::brightness, "Multiplies the values.", kPerSample)
      .arg("brightness_shift", &Args::brightness_shift,
           "Added, as a share of the output's range: 1 is the type's highest value (1 for FLOAT).", kPerSample);
}

Builder add_contrast(Builder builder) {
  return builder
      .arg("contrast", &Args::contrast, "Multiplies distances from `contrast_center`; 0 gives plain gray.", kPerSample)
      .arg("contrast_center", &Args::contrast_center,
           "The value that contrast leaves alone; by default the middle of the input's range: 128 for UINT8, 0.5 for "
           "FLOAT.",
           kPerSample);
}

}  // namespace

[[gnu::cold]] void register_brightness_contrast(Registry& r) {
  const Builder both = describe(r, "brightness_contrast",
                                "Changes brightness and contrast: brightness_shift * range + brightness * (center + "
                                "contrast * (x - center)).");
  add_contrast(add_brightness(both)).example({{"brightness", 0.7}, {"contrast", 1.3}});
  add_brightness(describe(r, "brightness", "Changes the brightness: brightness_shift * range + brightness * x."))
      .example({{"brightness", 0.7}, {"brightness_shift", 0.1}});
  add_contrast(describe(r, "contrast", "Changes the contrast: center + contrast * (x - center)."))
      .example({{"contrast", 1.4}});
}

}  // namespace penstock

#include <cmath>
#include <numbers>

#include "core/convert.h"
#include "kernels/pixel/color.h"
#include "ops/color/pixelwise.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ColorTwistArgs {
  float hue = 0, saturation = 1, value = 1, brightness = 1, contrast = 1;
  std::optional<DType> dtype;
};

struct HsvArgs : ColorTwistArgs {
  HsvArgs() { dtype = DType::kUInt8; }  // DALI's default, whatever the input
};

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// By cofactors: indices modulo 3 give them their signs.
Matrix inverse(const Matrix& a) {
  Matrix adjugate{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      adjugate[j][i] = a[(i + 1) % 3][(j + 1) % 3] * a[(i + 2) % 3][(j + 2) % 3] -
                       a[(i + 1) % 3][(j + 2) % 3] * a[(i + 2) % 3][(j + 1) % 3];
  const double determinant = a[0][0] * adjugate[0][0] + a[0][1] * adjugate[1][0] + a[0][2] * adjugate[2][0];
  for (auto& row : adjugate)
    for (double& x : row) x /= determinant;
  return adjugate;
}

/// RGB to YIQ, turn and stretch the (I, Q) plane, back to RGB, brighten; contrast around mid-gray `half`.
kernels::Matrix3 twist(const ColorTwistArgs& args, float half) {
  static constexpr Matrix kToYiq = {{{.299, .587, .114}, {.596, -.274, -.321}, {.211, -.523, .311}}};
  static const Matrix to_rgb = inverse(kToYiq);
  const double angle = static_cast<double>(args.hue) * std::numbers::pi / 180;
  const double c = std::cos(angle) * args.saturation, s = std::sin(angle) * args.saturation;
  const Matrix linear = product(to_rgb, product({{{1, 0, 0}, {0, c, s}, {0, -s, c}}}, kToYiq));
  const double gain = static_cast<double>(args.brightness) * args.contrast * args.value;
  kernels::Matrix3 result;
  for (size_t i = 0; i < 9; ++i) result.m[i] = static_cast<float>(gain * linear[i / 3][i % 3]);
  result.offset.fill((half - half * args.contrast) * args.brightness);
  return result;
}

/// One operator under four names, which differ in the arguments that they offer.
template <class A>
class ColorTwist final : public PixelwiseOperator<A>, public ElementForm {
 public:
  ColorTwist() { program_ = {.takes_pixels = true, .keeps_pixels = true, .instructions = 4}; }
  void setup() override {
    if (this->constants().dtype)
      check_type<uint8_t, int16_t, int32_t, float, float16>("output", *this->constants().dtype);
  }
  void infer(Sample& s) const override {
    const DType dtype = s.in(0).tensor.dtype;
    check_type<uint8_t, int16_t, int32_t, float, float16>("input", dtype);
    PENSTOCK_CHECK(this->channels_in(s) == 3, ArgumentError, "three channels are needed (RGB), got {}",
                   this->channels_in(s));
    this->infer_pixels(s, this->args(s).dtype.value_or(dtype), 3);
  }
  void run(Sample& s) const override {
    const kernels::Matrix3 matrix = matrix_for(s);
    dispatch_pixels<uint8_t, int16_t, int32_t, float, float16>(
        s, [&](auto in, auto out) { apply<typename decltype(in)::type, typename decltype(out)::type>(s, matrix); });
  }

  void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk&) const override {
    const kernels::Matrix3 matrix = matrix_for(s);
    work.begin(held_part(s.out(0)));
    work.take_pixels(work.shape().ndim() - 1, 3);
    work.load(work.input(0, held_part(s.in(0)), view_in_place(s.in(0), s.out(0))));
    work.convert(DType::kFloat);
    work.add({.step = kernels::Step::kMatrix3, .immediate = {ElementWork::address(staging.put(std::span(&matrix, 1)))}},
             DType::kFloat);
    work.convert(s.out(0).tensor.dtype);
  }

 private:
  kernels::Matrix3 matrix_for(const Sample& s) const {
    return twist(this->args(s), is_floating(s.in(0).tensor.dtype) ? 0.5f : 128.f);
  }
  template <class In, class Out>
  static void apply(Sample& s, const kernels::Matrix3& matrix) {
    for_each_run(s.in(0), s.out(0), [&](int64_t from, int64_t to, int64_t pixels) {
      const In* in = s.in(0).tensor.as<In>() + 3 * from;
      Out* out = s.out(0).tensor.as<Out>() + 3 * to;
      if constexpr (std::is_same_v<In, uint8_t> && std::is_same_v<Out, uint8_t>) {
        kernels::matrix3_row(in, static_cast<size_t>(pixels), matrix, out);
      } else {
        for (int64_t i = 0; i < pixels; ++i, in += 3, out += 3) {
          const auto a = static_cast<float>(in[0]), b = static_cast<float>(in[1]), c = static_cast<float>(in[2]);
          for (size_t k = 0; k < 3; ++k) out[k] = convert_sat<Out>(kernels::mapped(matrix, k, a, b, c));
        }
      }
    });
  }
};

template <class A>
OpBuilder<ColorTwist<A>> describe(Registry& r, const char* name, const char* doc) {
  auto builder = r.add<ColorTwist<A>>(name);
  builder.doc(std::string(doc) + "\n\nA linear approximation in YIQ space, not a true HSV.")
      .input("images", {"HWC", "FHWC", "DHWC"}, "RGB: uint8, int16, int32, float or float16.")
      .output("adjusted", "Shape and layout as the input.")
      .tolerance(1)
      .arg("dtype", &ColorTwistArgs::dtype, "UINT8, INT16, INT32, FLOAT or FLOAT16; None: the input's.")
      .ignored("image_type", ArgType::kImageType, "Only RGB is meant, in DALI, too.");
  return builder;
}

template <class B>
B& add_hue(B&& builder) {
  return builder.arg("hue", &ColorTwistArgs::hue, "Turns the colours, in degrees.", kPerSample);
}

template <class B>
B& add_saturation(B&& builder) {
  return builder.arg("saturation", &ColorTwistArgs::saturation, "Multiplies the colourfulness; 0 gives gray.",
                     kPerSample);
}

}  // namespace

[[gnu::cold]] void register_color_twist(Registry& r) {
  auto twist = describe<ColorTwistArgs>(r, "color_twist", "Changes hue, saturation, brightness and contrast.");
  add_saturation(add_hue(twist))
      .arg("brightness", &ColorTwistArgs::brightness, "Multiplies the values.", kPerSample)
      .arg("contrast", &ColorTwistArgs::contrast, "Multiplies distances from mid-gray.", kPerSample)
      .example({{"hue", 40.0}, {"saturation", 1.4}, {"brightness", 0.8}, {"contrast", 1.2}});
  auto hsv = describe<HsvArgs>(r, "hsv", "Changes hue, saturation and value.");
  add_saturation(add_hue(hsv))
      .arg("value", &ColorTwistArgs::value, "Multiplies the values.", kPerSample)
      .example({{"hue", 40.0}, {"saturation", 1.4}});
  add_hue(describe<ColorTwistArgs>(r, "hue", "Changes the hue.")).example({{"hue", 40.0}});
  add_saturation(describe<ColorTwistArgs>(r, "saturation", "Changes the saturation.")).example({{"saturation", 1.4}});
}

}  // namespace penstock

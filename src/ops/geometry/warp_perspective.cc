#include <array>
#include <cmath>

#include "core/check.h"
#include "ops/base/mapped.h"
#include "ops/base/neighbourhood.h"
#include "ops/geometry/homography.h"
#include "ops/image/resample_image.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct WarpPerspectiveArgs {
  std::vector<float> matrix;
  std::vector<float> size;
  std::string border_mode = "constant";
  std::vector<float> fill_value;
  InterpType interp_type = InterpType::kLinear;
  std::string pixel_origin = "corner";
  bool inverse_map = true;
};

class WarpPerspective final : public MappedOperator<WarpPerspectiveArgs, kernels::PerspectiveMap>, public MovesPixels {
 public:
  WarpPerspective() : MappedOperator(penstock::kernels::kSampledPerspective) {}
  void setup() override {
    const bool argument = spec().given("matrix"), input = spec().num_inputs > 1;
    PENSTOCK_CHECK(argument || input, ArgumentError, "give `matrix`, as an argument or as the second input");
    PENSTOCK_CHECK(!argument || !input, ArgumentError,
                   "`matrix` is given twice: as an argument and as the second input");
    shift_ = origin_shift(constants().pixel_origin);
    look_ = {.sampling = sampling_of(constants().interp_type),
             .border = border_named("border_mode", constants().border_mode),
             .fill = constants().fill_value};
  }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    matrix_of(s);
    s.out(0).describe(state(s).describe(in, in.dtype, sampled_size(args(s).size, spatial_extents(in)), look_));
  }
  PixelMap pixel_map(const Sample& s) const override {
    const auto& extent = state(s).result().extent;
    return looked_up(to_source(s), pixel_extents(s.in(0).tensor), {double(extent[0]), double(extent[1])});
  }

 private:
  /// From places of the result to those of the input.
  Homography to_source(const Sample& s) const {
    Homography matrix = matrix_of(s);
    if (!args(s).inverse_map) matrix = inverse(matrix);
    const Homography from_ours = of_plane({{{1, 0, -shift_}, {0, 1, -shift_}, {0, 0, 1}}});
    const Homography to_ours = of_plane({{{1, 0, shift_}, {0, 1, shift_}, {0, 0, 1}}});
    return product(to_ours, product(matrix, from_ours));
  }
  kernels::PerspectiveMap map(Sample& s, device::Staging*) const override {
    const Homography matrix = to_source(s);
    penstock::kernels::PerspectiveMap made;
    constexpr std::array<size_t, 3> kPlane = {0, 1, 3};  // x, y and what is no axis
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 3; ++j) {
        const double element = matrix[kPlane[i]][kPlane[j]];
        made.matrix[i][j] = static_cast<float>(element);
        PENSTOCK_CHECK(std::isfinite(made.matrix[i][j]), ArgumentError,
                       "the map from the result to the input is not finite: element ({}, {}) is {}", i, j, element);
      }
    return made;
  }
  /// What was given. @throws ArgumentError where it cannot be
  Homography matrix_of(const Sample& s) const {
    std::span<const float> given = args(s).matrix;
    if (s.num_inputs() > 1) {
      const TensorView& tensor = s.in(1).tensor;
      PENSTOCK_CHECK(tensor.dtype == DType::kFloat, TypeError, "the matrix must be of type float, got {}",
                     name_of(tensor.dtype));
      PENSTOCK_CHECK((tensor.shape == Shape{3, 3}), ArgumentError, "the matrix must have the shape (3, 3), got {}",
                     to_string(tensor.shape));
      given = {reinterpret_cast<const float*>(tensor.data), 9};
    }
    PENSTOCK_CHECK(given.size() == 9, ArgumentError, "`matrix` needs 9 values, three rows of three; got {}",
                   given.size());
    std::array<std::array<double, 3>, 3> rows{};
    for (size_t i = 0; i < 9; ++i) {
      PENSTOCK_CHECK(std::isfinite(given[i]), ArgumentError, "`matrix` must be finite; element ({}, {}) is {}", i / 3,
                     i % 3, given[i]);
      rows[i / 3][i % 3] = given[i];
    }
    const Homography matrix = of_plane(rows);
    if (!args(s).inverse_map) inverse(matrix);
    return matrix;
  }
  bool reads(int input) const override { return input == 0; }

  double shift_ = 0;
  SampledLook look_;
};

}  // namespace

[[gnu::cold]] void register_warp_perspective(Registry& r) {
  r.add<WarpPerspective>("experimental.warp_perspective")
      .doc("Looks pictures up at the places that a homography says.")
      .input("input", mapped_layouts(), "uint8, int16, uint16, int32 or float.")
      .input("matrix_input", {}, "The matrix instead of the argument `matrix`: FLOAT, of shape (3, 3).")
      .optional()
      .reads_data()
      .holds("nothing")
      .output("warped", "Of the input's type and layout.")
      .arg("matrix", &WarpPerspectiveArgs::matrix, "Its nine elements, row by row; axes are x, y.", kPerSample)
      .arg("size", &WarpPerspectiveArgs::size, "Rows and columns of the result; those of the input when not given.",
           kPerSample)
      .arg("border_mode", &WarpPerspectiveArgs::border_mode,
           "What lies outside: \"constant\" (`fill_value`), \"replicate\" (aaa|abcd), \"reflect\" (cba|abcd), "
           "\"reflect_101\" (dcb|abcd) or \"wrap\" (bcd|abcd).")
      .arg("fill_value", &WarpPerspectiveArgs::fill_value, "One value, or one for each channel of a pixel; usually 0.")
      .arg("interp_type", &WarpPerspectiveArgs::interp_type, "INTERP_NN or INTERP_LINEAR.")
      .arg("pixel_origin", &WarpPerspectiveArgs::pixel_origin,
           "Where (0, 0) lies: \"corner\" of the first pixel, or its \"center\", as in OpenCV.")
      .arg("inverse_map", &WarpPerspectiveArgs::inverse_map,
           "True: the matrix maps places of the result to places of the input. False: the other way; it is inverted.")
      .example({{"matrix", {0.9, -0.2, 1.25, 0.1, 0.8, -0.5, 0.01, -0.02, 1.0}}, {"fill_value", {42.0}}})
      .tolerance(1)
      .differs("Weights are exact; DALI's CPU rounds them to 1/32.")
      .differs("`interp_type` may not be INTERP_CUBIC.")
      .differs("Pixels may have any number of channels, and planes of channels are warped on the CPU, too.");
}

}  // namespace penstock

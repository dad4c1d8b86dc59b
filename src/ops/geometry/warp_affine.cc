#include <cmath>

#include "core/check.h"
#include "ops/base/sampled.h"
#include "ops/image/resample_image.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct WarpAffineArgs : SampledArgs {
  std::vector<float> matrix;
  bool inverse_map = true;
};

/// Rows of a matrix [ndim, ndim + 1], one after the other.
Affine affine_of(std::span<const float> matrix, int ndim) {
  const auto elements = static_cast<size_t>(ndim * (ndim + 1));
  PENSTOCK_CHECK(matrix.size() == elements, ArgumentError, "`matrix` of {} axes needs {} values, {} rows of {}; got {}",
                 ndim, elements, ndim, ndim + 1, matrix.size());
  Affine map = identity_map(ndim);
  for (int row = 0; row < ndim; ++row)
    for (int column = 0; column <= ndim; ++column)
      map(row, column) = matrix[static_cast<size_t>(row * (ndim + 1) + column)];
  return map;
}

void check_finite(const Affine& map) {
  for (int row = 0; row < map.ndim; ++row)
    for (int column = 0; column <= map.ndim; ++column)
      PENSTOCK_CHECK(std::isfinite(map(row, column)), ArgumentError, "`matrix` must be finite; element ({}, {}) is {}",
                     row, column, map(row, column));
}

class WarpAffine final : public SampledOperator<WarpAffineArgs> {
 public:
  WarpAffine() { traits_.frame_values_from = 1; }
  void setup() override {
    SampledOperator::setup();
    const bool argument = spec().given("matrix"), input = spec().num_inputs > 1;
    PENSTOCK_CHECK(argument || input, ArgumentError, "give `matrix`, as an argument or as the second input");
    PENSTOCK_CHECK(!argument || !input, ArgumentError,
                   "`matrix` is given twice: as an argument and as the second input");
  }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const Shape extents = spatial_extents(in);
    const Affine map = matrix_of(s, extents.ndim());
    check_finite(map);
    const Shape size = sampled_size(args(s).size, extents);
    s.out(0).describe(state(s).describe(in, size, args(s).inverse_map ? map : inverse(map), args(s)));
  }

 private:
  Affine matrix_of(const Sample& s, int ndim) const {
    if (s.num_inputs() < 2) return affine_of(args(s).matrix, ndim);
    const Affine map = affine_from(s.in(1).tensor);
    PENSTOCK_CHECK(map.ndim == ndim, ArgumentError, "the matrix must have the shape ({}, {}), got {}", ndim, ndim + 1,
                   to_string(s.in(1).tensor.shape));
    return map;
  }
};

}  // namespace

[[gnu::cold]] void register_warp_affine(Registry& r) {
  auto op = r.add<WarpAffine>("warp_affine");
  op.doc(
        "Looks pictures and volumes up at the places that an affine map says. The corner of the first pixel is the "
        "origin; its centre is at .5.")
      .input("data", sampled_layouts(), "uint8, int16, uint16, int32 or float.")
      .input("mtx", {}, "The matrix instead of the argument `matrix`: FLOAT, of shape (2, 3), of volumes (3, 4).")
      .optional()
      .reads_data()
      .holds("nothing")
      .output("warped", "Of the input's type and layout, or FLOAT.")
      .arg("matrix", &WarpAffineArgs::matrix,
           "Rows of the matrix: M11, M12, M13, M21, M22, M23 of pictures, twelve values of volumes. Axes are x, y, z.",
           kPerSample)
      .arg("inverse_map", &WarpAffineArgs::inverse_map,
           "True: the matrix maps places of the result to places of the input. False: the other way; it is inverted.")
      .example({{"matrix", {0.8, -0.6, 3.25, 0.6, 0.8, -2.5}}, {"fill_value", 42}})
      .differs("A `matrix` that is not finite is refused, and so is one given both as an argument and as an input.");
  add_sampled_args(op);
}

}  // namespace penstock

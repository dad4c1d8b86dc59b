#include <optional>

#include "core/check.h"
#include "ops/boxes/affine_rows.h"

namespace penstock {
namespace {

struct CoordTransformArgs {
  std::optional<std::vector<float>> M, T, MT;
  DType dtype = DType::kFloat;
};

class CoordTransform final : public AffineRowsOperator<CoordTransformArgs> {
 public:
  void setup() override {
    PENSTOCK_CHECK(!spec().given("MT") || !(spec().given("M") || spec().given("T")), ArgumentError,
                   "`MT` is both matrix and offset; give it, or `M` and `T`");
  }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const DType dtype = args(s).dtype;
    const int last = in.shape.ndim() - 1;
    PENSTOCK_CHECK(last >= 1, ArgumentError, "points lie along the last of two or more axes, got the shape {}",
                   to_string(in.shape));
    PENSTOCK_CHECK(dtype == DType::kFloat || dtype == in.dtype, TypeError,
                   "the result is FLOAT or of the input's type, {}; got `dtype` {}", name_of(in.dtype), name_of(dtype));
    // An empty list is of NumPy's usual type, FLOAT64.
    if (in.shape.volume() > 0)
      dispatch_among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float>(in.dtype, [](auto) {});
    map(s, state(s));
    TensorDesc out = in;
    out.dtype = dtype;
    out.shape[last] = state(s).outputs();
    s.out(0).describe(out);
  }

 private:
  void map(const Sample& s, RowMap& map) const override {
    const CoordTransformArgs& a = args(s);
    const Shape& shape = s.in(0).tensor.shape;
    const int64_t inputs = shape[shape.ndim() - 1];
    const bool scalar = a.MT && a.MT->size() == 1;
    map = RowMap::identity(inputs);
    if (a.MT && !scalar) return split(*a.MT, inputs, map);
    if (const auto& matrix = scalar ? a.MT : a.M) multiply(*matrix, inputs, map);
    if (!a.T) return;
    const auto count = static_cast<int64_t>(a.T->size());
    PENSTOCK_CHECK(count == 1 || count == map.outputs(), ArgumentError,
                   "`T` needs one number, or one for each of the {} rows of the matrix, got {}", map.outputs(), count);
    for (size_t i = 0; i < map.offset.size(); ++i) map.offset[i] = (*a.T)[count == 1 ? 0 : i];
  }
  static void multiply(const std::vector<float>& matrix, int64_t inputs, RowMap& map) {
    if (matrix.size() == 1 && inputs != 1) {
      for (float& number : map.matrix) number *= matrix[0];
      return;
    }
    map.offset.assign(rows_of("M", matrix, inputs), 0);
    map.matrix = matrix;
  }
  static void split(const std::vector<float>& both, int64_t inputs, RowMap& map) {
    const size_t rows = rows_of("MT", both, inputs + 1), width = static_cast<size_t>(inputs);
    map.matrix.clear(), map.offset.clear();
    for (size_t row = 0; row < rows; ++row) {
      const auto begin = both.begin() + static_cast<std::ptrdiff_t>(row * (width + 1));
      map.matrix.insert(map.matrix.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
      map.offset.push_back(begin[static_cast<std::ptrdiff_t>(width)]);
    }
  }
  static size_t rows_of(const char* name, const std::vector<float>& matrix, int64_t columns) {
    const auto count = static_cast<int64_t>(matrix.size());
    PENSTOCK_CHECK(columns > 0 && count > 0 && count % columns == 0, ArgumentError,
                   "`{}` holds {} numbers, which are no rows of {}: points have {} coordinates", name, count, columns,
                   name[1] == 'T' ? columns - 1 : columns);
    return static_cast<size_t>(count / columns);
  }
};

}  // namespace

[[gnu::cold]] void register_coord_transform(Registry& r) {
  auto op = r.add<CoordTransform>("coord_transform");
  op.doc("Maps points, vectors or colours by a matrix and an offset: M x + T.")
      .input("points", {},
             "The numbers of a point lie along the last axis. UINT8 to INT32, or FLOAT; of any "
             "type where there are none.")
      .output("mapped", "As many numbers along the last axis as the matrix has rows.");
  op.arg("M", &CoordTransformArgs::M,
         "The matrix, row by row; a single number is a multiple of the identity, which it is by default.", kPerSample);
  op.arg("T", &CoordTransformArgs::T, "The offset; a single number stands for all. Zero by default.", kPerSample);
  op.arg("MT", &CoordTransformArgs::MT, "Matrix and offset as one, the offset being the last column.", kPerSample);
  op.arg("dtype", &CoordTransformArgs::dtype,
         "FLOAT, or the input's type: results are then rounded and kept in range.");
  op.example({{"M", 2.5}, {"T", -1.5}});
}

}  // namespace penstock

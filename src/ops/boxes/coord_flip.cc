#include <string>

#include "core/check.h"
#include "ops/boxes/affine_rows.h"

namespace penstock {
namespace {

struct CoordFlipArgs {
  std::array<int64_t, 3> flip = {1, 0, 0};
  std::array<float, 3> center = {.5f, .5f, .5f};
  std::string layout;
};

constexpr std::string_view kAxes = "xyz";

class CoordFlip final : public AffineRowsOperator<CoordFlipArgs> {
 public:
  void setup() override {
    const std::string& layout = constants().layout;
    for (const char letter : layout)
      PENSTOCK_CHECK(kAxes.find(letter) != std::string_view::npos && layout.find(letter) == layout.rfind(letter),
                     ArgumentError, "`layout` names the axes x, y and z in their order, each once; got \"{}\"", layout);
  }

 private:
  void describe_rows(const TensorDesc& in, Sample& s) const override {
    describe_float_rows(in, s.out(0));
    const int ndim = in.shape.ndim();
    const std::string& layout = constants().layout;
    const int64_t numbers = ndim == 0 ? 0 : in.shape[ndim - 1];
    PENSTOCK_CHECK(ndim >= 1 && numbers >= 1 && numbers <= 3, ArgumentError,
                   "points have one to three coordinates along the last axis, got the shape {}", to_string(in.shape));
    PENSTOCK_CHECK(layout.empty() || static_cast<int64_t>(layout.size()) == numbers, ArgumentError,
                   "`layout` (\"{}\") names {} axes, points have {} coordinates", layout, layout.size(), numbers);
  }
  void map(const Sample& s, RowMap& map) const override {
    const Shape& shape = s.in(0).tensor.shape;
    const int64_t numbers = shape[shape.ndim() - 1];
    const std::string_view layout = constants().layout.empty() ? kAxes : std::string_view(constants().layout);
    map = RowMap::identity(numbers);
    for (int64_t i = 0; i < numbers; ++i) {
      const size_t axis = kAxes.find(layout[static_cast<size_t>(i)]);
      if (args(s).flip[axis] == 0) continue;
      map.at(i, i) = -1;
      map.offset[static_cast<size_t>(i)] = 2 * args(s).center[axis];
    }
  }
};

}  // namespace

[[gnu::cold]] void register_coord_flip(Registry& r) {
  auto op = r.add<CoordFlip>("coord_flip");
  op.doc("Reflects points at a centre, as their picture or volume is flipped.")
      .input("points", {}, "FLOAT; the coordinates of a point lie along the last axis, three at most.")
      .holds("points")
      .output("flipped", "Shape and layout of the input.");
  op.arg("layout", &CoordFlipArgs::layout, "Which coordinate is which; by default x, y, z.");
  op.arg("flip_x", &CoordFlipArgs::flip, 0, "Reflect x.", kPerSample);
  op.arg("flip_y", &CoordFlipArgs::flip, 1, "Reflect y.", kPerSample);
  op.arg("flip_z", &CoordFlipArgs::flip, 2, "Reflect z.", kPerSample);
  op.arg("center_x", &CoordFlipArgs::center, 0, "Where x is reflected.", kPerSample);
  op.arg("center_y", &CoordFlipArgs::center, 1, "Where y is reflected.", kPerSample);
  op.arg("center_z", &CoordFlipArgs::center, 2, "Where z is reflected.", kPerSample);
  op.example({{"flip_y", 1}, {"center_y", 0.25}});
  op.differs("Points may lie along any number of axes, not one alone; `layout` names as many axes as points have.");
}

}  // namespace penstock

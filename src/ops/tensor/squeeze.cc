#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "core/check.h"
#include "ops/axes.h"
#include "ops/tensor/descriptor_operator.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct SqueezeArgs {
  std::vector<int64_t> axes;
  std::string axis_names;
};

class Squeeze final : public DescriptorOperator<SqueezeArgs> {
 public:
  void setup() override {
    by_name_ = spec().given("axis_names");
    PENSTOCK_CHECK(by_name_ || spec().given("axes"), ArgumentError, "Missing argument `axes` or `axis_names`");
    PENSTOCK_CHECK(!by_name_ || !spec().given("axes"), ArgumentError,
                   "Provided both `axes` and `axis_names` arguments; give one of them");
  }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    AxisList axes = by_name_ ? axes_named(args(s).axis_names, in) : axes_in(args(s).axes, in);
    std::sort(axes.axes.begin(), axes.axes.begin() + axes.count, std::greater<>());
    TensorDesc& out = s.out(0).tensor;
    out = in;
    for (int axis : axes) {
      out.shape.erase(axis);
      if (!in.layout.empty()) out.layout.erase(axis);
    }
    if (out.shape.volume() == in.shape.volume()) return;  // of extent 1, or of a tensor that stays empty
    for (int axis : axes)
      PENSTOCK_CHECK(in.shape[axis] == 1, ArgumentError,
                     "axis {} of a tensor of shape {} cannot be removed: only axes of extent 1 can, and in a tensor "
                     "without elements those that leave it without",
                     axis, to_string(in.shape));
  }

 private:
  bool by_name_ = false;
};

}  // namespace

[[gnu::cold]] void register_squeeze(Registry& r) {
  r.add<Squeeze>("squeeze")
      .doc("Removes axes of extent 1, of a tensor without elements any that leave it without, and touches no data.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "The same data with fewer axes.")
      .arg("axes", &SqueezeArgs::axes, "Axes to remove. Excludes `axis_names`.", kPerSample)
      .arg("axis_names", &SqueezeArgs::axis_names, "Letters of the axes to remove. Excludes `axes`.")
      .example({{"axes", {2}}})
      .differs("Negative axes count from the end, and axes that are not there are refused; DALI passes over both.");
}

}  // namespace penstock

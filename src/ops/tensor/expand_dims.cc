#include <algorithm>
#include <vector>

#include "core/check.h"
#include "ops/tensor/descriptor_operator.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ExpandDimsArgs {
  std::vector<int64_t> axes;
  std::string new_axis_names;
};

class ExpandDims final : public DescriptorOperator<ExpandDimsArgs> {
 public:
  void setup() override {
    const ExpandDimsArgs& args = constants();
    PENSTOCK_CHECK(args.new_axis_names.empty() || args.new_axis_names.size() == args.axes.size(), ArgumentError,
                   "`axes` names {} new dimensions, but `new_axis_names` has {} letters", args.axes.size(),
                   args.new_axis_names.size());
    for (size_t i = 0; i < args.axes.size(); ++i)
      axes_.push_back({args.axes[i], args.new_axis_names.empty() ? '\0' : args.new_axis_names[i]});
    std::sort(axes_.begin(), axes_.end());
    for (size_t i = 0; i < axes_.size(); ++i) {
      PENSTOCK_CHECK(axes_[i].first >= 0, ArgumentError, "Axis value can't be negative, got {}", axes_[i].first);
      PENSTOCK_CHECK(i == 0 || axes_[i].first != axes_[i - 1].first, ArgumentError, "Duplicate axis index found: {}",
                     axes_[i].first);
    }
  }

  void infer(Sample& s) const override {
    TensorDesc& out = s.out(0).tensor;
    out = s.in(0).tensor;
    const bool named = !constants().new_axis_names.empty();
    PENSTOCK_CHECK(!named || out.layout.ndim() == out.shape.ndim(), ArgumentError,
                   "Specifying `new_axis_names` requires an input with a layout");
    for (const auto& [axis, letter] : axes_) {
      PENSTOCK_CHECK(axis <= out.shape.ndim(), ArgumentError,
                     "Data has not enough dimensions to add new axes at specified indices: axis {} of a {}D tensor",
                     axis, out.shape.ndim());
      out.shape.insert(static_cast<int>(axis), 1);
      if (named) out.layout.insert(static_cast<int>(axis), letter);
    }
    if (!named && !axes_.empty()) out.layout = {};
  }

 private:
  std::vector<std::pair<int64_t, char>> axes_;
};

}  // namespace

[[gnu::cold]] void register_expand_dims(Registry& r) {
  r.add<ExpandDims>("expand_dims")
      .doc("Inserts axes of extent 1 without touching the data.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "The same data with more axes.")
      .arg("axes", &ExpandDimsArgs::axes, "Positions of the new axes, counted in the output.", kRequired)
      .arg("new_axis_names", &ExpandDimsArgs::new_axis_names,
           "Letters of the new axes in the layout. Without them the layout is cleared.")
      .example({{"axes", {0}}});
}

}  // namespace penstock

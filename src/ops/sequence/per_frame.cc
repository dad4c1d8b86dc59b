#include <string>

#include "core/check.h"
#include "ops/tensor/descriptor_operator.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct PerFrameArgs {
  bool replace = false;
};

class PerFrame final : public DescriptorOperator<PerFrameArgs> {
 public:
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    PENSTOCK_CHECK(in.shape.ndim() > 0, ArgumentError, "a sequence needs at least one axis, got a scalar");
    PENSTOCK_CHECK(in.layout.empty() || in.layout[0] == 'F' || args(s).replace, ArgumentError,
                   "the layout \"{}\" does not begin with F; give `replace=True` to have its first letter replaced",
                   in.layout.view());
    std::string letters(in.layout.view());
    if (letters.empty()) letters.assign(static_cast<size_t>(in.shape.ndim()), '*');
    letters[0] = 'F';
    s.out(0).describe({in.dtype, in.shape, Layout(letters)});
  }
};

}  // namespace

[[gnu::cold]] void register_per_frame(Registry& r) {
  r.add<PerFrame>("per_frame")
      .doc(
          "Marks a tensor as a sequence along its first axis and touches no data. Operators take such tensors for "
          "arguments of which each frame of a sequence has its own.")
      .input("values", {}, "Tensor of any type with at least one axis.")
      .output("values", "The same with a layout that begins with F: `F**` where it had none.")
      .arg("replace", &PerFrameArgs::replace, "Replaces the first letter of the layout; otherwise it must be F.")
      .example({{"replace", true}});
}

}  // namespace penstock

#include "core/check.h"
#include "ops/transforms/affine.h"
#include "ops/transforms/transform.h"

namespace penstock {
namespace {

class Combine final : public SampleOperator<TransformArgs> {
 public:
  Combine() { traits_.frame_values_from = 0; }
  void setup() override {
    PENSTOCK_CHECK(spec().num_inputs >= 2, ArgumentError, "at least two transforms are combined, got {}",
                   spec().num_inputs);
  }
  void infer(Sample& s) const override {
    for (int i = 1; i < s.num_inputs(); ++i)
      PENSTOCK_CHECK(s.in(i).tensor.shape == s.in(0).tensor.shape, ArgumentError,
                     "all transforms must have the same shape, got {} and {}", to_string(s.in(0).tensor.shape),
                     to_string(s.in(i).tensor.shape));
    s.out(0).describe({DType::kFloat, s.in(0).tensor.shape, Layout("**")});
  }
  void run(Sample& s) const override {
    Affine map = affine_from(s.in(0).tensor);
    for (int i = 1; i < s.num_inputs(); ++i) {
      const Affine next = affine_from(s.in(i).tensor);
      map = args(s).reverse_order ? chained(next, map) : chained(map, next);
    }
    store(map, s.out(0).tensor.as<float>());
  }
};

}  // namespace

[[gnu::cold]] void register_transforms_combine(Registry& r) {
  r.add<Combine>("transforms.combine")
      .doc("Combines two or more transforms into the one that applies them in that order.")
      .input("matrices", {}, "Transforms of the same number of axes: FLOAT, n rows of n + 1 numbers.")
      .holds("matrix")
      .variadic()
      .output("matrix", "FLOAT, n rows of n + 1 numbers.")
      .arg("reverse_order", &TransformArgs::reverse_order, "Whether the last transform is applied first.")
      .devices({"cpu"})
      .host_only("a few numbers a sample, which the host knows before the GPU begins");
}

}  // namespace penstock

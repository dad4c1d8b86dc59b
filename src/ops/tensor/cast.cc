#include "core/check.h"
#include "kernels/convert/convert.h"
#include "ops/elements/element_form.h"
#include "ops/region.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct CastArgs {
  DType dtype = DType::kNone;
};
struct CastLikeArgs {};

DType target(const CastArgs& args, const Sample&) { return args.dtype; }
DType target(const CastLikeArgs&, const Sample& s) { return s.in(1).tensor.dtype; }

template <class Args>
class Cast final : public SampleOperator<Args>, public ElementForm {
 public:
  Cast() {
    this->traits_.makes_regions = this->traits_.goes_by_descriptors = true;
    this->traits_.region_axes = kAnyAxis;
    this->traits_.shape_only = input_bit(1);
    program_.keeps_pixels = true;
  }
  void infer(Sample& s) const override {
    s.out(0).tensor = s.in(0).tensor;
    s.out(0).tensor.data = nullptr;
    s.out(0).tensor.dtype = target(this->args(s), s);
    PENSTOCK_CHECK(size_of(s.out(0).tensor.dtype) > 0, TypeError, "`dtype` is not an element type");
  }
  void need(Sample& s) const override { s.need(0, s.wanted(0)); }
  void run(Sample& s) const override {
    const TensorView& out = s.out(0).tensor;
    const Region& region = s.wanted(0);
    kernels::convert(s.in(0).tensor.dtype, dense_part(s, 0, region), out.dtype, out.data,
                     cut(out, region).shape.volume());
  }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    work.begin(held_part(s.out(0)));
    work.load(work.input(0, held_part(s.in(0)), view_in_place(s.in(0), s.out(0))));
    work.convert(s.out(0).tensor.dtype);
  }
  bool reads(int input) const override { return input == 0; }
};

}  // namespace

[[gnu::cold]] void register_cast(Registry& r) {
  r.add<Cast<CastArgs>>("cast")
      .doc("Converts to another type: rounds to nearest, halves away from zero, and clamps to the range of the type.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "The converted values.")
      .arg("dtype", &CastArgs::dtype, "Type of the output.", kRequired)
      .example({{"dtype", DType::kInt16}})
      .differs("To BOOL every number but zero is true; DALI rounds first.")
      .differs("Finite numbers beyond the range of FLOAT16 stay within it; DALI makes them infinite.");
}

[[gnu::cold]] void register_cast_like(Registry& r) {
  r.add<Cast<CastLikeArgs>>("cast_like")
      .doc("Converts to the type of another tensor, as `cast` does.")
      .input("data", {}, "Tensor of any shape and type.")
      .input("dtype_source", {}, "Tensor whose type is taken.")
      .output("output", "The converted values.");
}

}  // namespace penstock

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ShapesArgs {
  DType dtype = DType::kInt64;
};

class Shapes final : public SampleOperator<ShapesArgs>, public ElementForm {
 public:
  Shapes() {
    traits_.shape_only = kAllInputs;
    program_.leads = {};
  }
  void setup() override {
    const DType dtype = constants().dtype;
    dispatch_among<int32_t, uint32_t, int64_t, uint64_t, float, double>(dtype, [](auto) {});
  }
  void infer(Sample& s) const override {
    s.out(0).tensor.dtype = args(s).dtype;
    s.out(0).tensor.shape = {s.in(0).tensor.shape.ndim()};
    s.out(0).tensor.layout = {};
  }
  void run(Sample& s) const override {
    dispatch_among<int32_t, uint32_t, int64_t, uint64_t, float, double>(args(s).dtype, [&](auto target) {
      using T = typename decltype(target)::type;
      T* out = s.out(0).tensor.as<T>();
      for (int64_t extent : s.in(0).tensor.shape) *out++ = convert_sat<T>(extent);
    });
  }
  void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk&) const override {
    const Shape &extents = s.in(0).tensor.shape, &list = s.out(0).tensor.shape;
    work.begin(s.out(0).tensor);
    const int64_t* values = staging.put(std::span(extents.begin(), extents.end()));
    work.load(work.table(values, DType::kInt64, list, ElementView::broadcast(list, list)));
    work.convert(args(s).dtype);
  }
  bool reads(int) const override { return false; }
};

}  // namespace

[[gnu::cold]] void register_shapes(Registry& r) {
  r.add<Shapes>("shapes")
      .doc("The shape of each sample.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("shape", "A list with one extent an axis.")
      .arg("dtype", &ShapesArgs::dtype, "Type of the list: int32, uint32, int64, uint64, float or double.")
      .arg("type", &ShapesArgs::dtype, "Older name of `dtype`.", kHidden)
      .alias("_shape");
}

}  // namespace penstock

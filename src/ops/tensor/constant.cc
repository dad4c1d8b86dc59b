#include <memory>
#include <optional>
#include <vector>

#include "core/check.h"
#include "kernels/convert/convert.h"
#include "ops/axes.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ConstantArgs {
  std::vector<float> fdata;
  std::vector<int64_t> idata;
  std::optional<std::vector<int64_t>> shape;
  std::optional<DType> dtype;
  std::string layout;
};

/// Makes its tensor once and shares it with all samples.
class Constant final : public SampleOperator<ConstantArgs>, public ElementForm {
 public:
  void setup() override {
    const bool floats = spec().given("fdata"), integers = spec().given("idata");
    PENSTOCK_CHECK(!floats || !integers, ArgumentError, "`fdata` and `idata` arguments are mutually exclusive");
    PENSTOCK_CHECK(floats || integers, ArgumentError, "either `fdata` or `idata` must be present");
    if (floats)
      fill(constants().fdata, DType::kFloat);
    else
      fill(constants().idata, DType::kInt32);
  }
  void infer(Sample& s) const override { s.out(0).tensor = value_; }
  void run(Sample&) const override {}
  void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk&) const override {
    work.begin(s.out(0).tensor);
    const std::byte* values = staging.put(std::span<const std::byte>(value_.data, value_.nbytes()));
    work.load(work.table(values, value_.dtype, value_.shape, ElementView::broadcast(value_.shape, value_.shape)));
  }

 private:
  template <class T>
  void fill(const std::vector<T>& data, DType natural) {
    const ConstantArgs& args = constants();
    const auto count = static_cast<int64_t>(data.size());
    value_.dtype = args.dtype.value_or(natural);
    value_.shape = args.shape ? Shape(*args.shape) : Shape{count};
    for (int64_t extent : value_.shape)
      PENSTOCK_CHECK(extent >= 0, ArgumentError, "the shape {} has a negative extent", to_string(value_.shape));
    value_.layout = layout_for(args.layout, value_.shape.ndim());
    const int64_t volume = value_.shape.volume();
    PENSTOCK_CHECK(count == volume || count == 1, ArgumentError,
                   "The number of values, {}, does not match the shape {}", count, to_string(value_.shape));
    const size_t element = size_of(value_.dtype);
    PENSTOCK_CHECK(element > 0, TypeError, "`dtype` is not an element type");
    bytes_ = std::make_unique<std::byte[]>(value_.nbytes() + element);
    value_.data = bytes_.get();
    const std::vector<T> all = count == volume ? data : std::vector<T>(static_cast<size_t>(volume), data[0]);
    kernels::convert(dtype_of<T>, reinterpret_cast<const std::byte*>(all.data()), value_.dtype, value_.data, volume);
  }

  TensorView value_;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace

[[gnu::cold]] void register_constant(Registry& r) {
  r.add<Constant>("constant")
      .doc("The same tensor for every sample.")
      .output("output", "The constant.")
      .arg("fdata", &ConstantArgs::fdata, "Floating-point values. Excludes `idata`.")
      .arg("idata", &ConstantArgs::idata, "Integer values. Excludes `fdata`.")
      .arg("shape", &ConstantArgs::shape, "Shape of the tensor; one value fills it. A list when not given.")
      .arg("dtype", &ConstantArgs::dtype, "Type of the tensor: float or int32, after the values, when not given.")
      .arg("layout", &ConstantArgs::layout, "Layout of the tensor.")
      .example({{"idata", {1, 2, 3}}, {"shape", {3}}, {"dtype", DType::kInt32}});
}

}  // namespace penstock

#include <cmath>
#include <optional>

#include "core/check.h"
#include "ops/axes.h"
#include "ops/tensor/descriptor_operator.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ReshapeArgs {
  std::optional<std::vector<int64_t>> shape;
  std::optional<std::vector<float>> rel_shape;
  std::optional<std::vector<int64_t>> src_dims;
  std::optional<std::string> layout;
};

struct ReinterpretArgs : ReshapeArgs {
  std::optional<DType> dtype;
};

/// The input's extents as `src_dims` selects and orders them; -1 makes an extent of 1.
Shape source_extents(const ReshapeArgs& args, const Shape& in) {
  if (!args.src_dims) return in;
  Shape out;
  for (size_t i = 0; i < args.src_dims->size(); ++i) {
    const int64_t axis = (*args.src_dims)[i];
    PENSTOCK_CHECK(axis >= -1 && axis < in.ndim(), ArgumentError,
                   "`src_dims[{}] == {}` is out of bounds: use an axis in [0..{}], or -1 to insert a new dimension", i,
                   axis, in.ndim() - 1);
    out.push_back(axis < 0 ? 1 : in[static_cast<int>(axis)]);
  }
  return out;
}

Shape relative_shape(const ReshapeArgs& args, const Shape& in) {
  const std::vector<float>& factors = *args.rel_shape;
  const int given = static_cast<int>(factors.size());
  const Shape source = source_extents(args, in);
  PENSTOCK_CHECK(!args.src_dims || given == source.ndim(), ArgumentError,
                 "`src_dims` and `rel_shape` have different lengths: {} vs {}", source.ndim(), given);
  Shape out;
  for (int i = 0; i < given; ++i) {
    const float factor = factors[static_cast<size_t>(i)];
    PENSTOCK_CHECK(!std::isnan(factor), ArgumentError, "`rel_shape[{}]` is not a number", i);
    if (!(factor >= 0)) {
      out.push_back(-1);
      continue;
    }
    PENSTOCK_CHECK(i < source.ndim(), ArgumentError,
                   "`rel_shape` has more elements ({}) than there are dimensions in the input ({}); use `src_dims` to "
                   "say which input dimension each output dimension comes from",
                   given, source.ndim());
    const double extent = std::round(static_cast<double>(factor) * static_cast<double>(source[i]));
    PENSTOCK_CHECK(extent < 0x1p62, ArgumentError, "the extent {} asked for by `rel_shape` is too large", extent);
    out.push_back(static_cast<int64_t>(extent));
  }
  return out;
}

/// Gives the one negative extent the value that keeps `elements`.
void infer_wildcard(Shape& shape, int64_t elements, const Shape& in) {
  int wildcard = -1;
  int64_t rest = 1;
  for (int i = 0; i < shape.ndim(); ++i) {
    if (shape[i] >= 0) {
      PENSTOCK_CHECK(!__builtin_mul_overflow(rest, shape[i], &rest), ArgumentError, "the shape {} is too large",
                     to_string(shape));
      continue;
    }
    PENSTOCK_CHECK(wildcard < 0, ArgumentError, "Only one negative extent is allowed; got: {}", to_string(shape));
    wildcard = i;
  }
  if (wildcard < 0) return;
  PENSTOCK_CHECK(
      rest != 0, ArgumentError,
      "Cannot infer the extent of dimension {} when the volume of remaining dimensions is 0. Input shape: {}", wildcard,
      to_string(in));
  shape[wildcard] = elements / rest;
}

template <class Args>
class Reshape final : public DescriptorOperator<Args> {
 public:
  void setup() override {
    const OpSpec& spec = this->spec();
    positional_ = spec.num_inputs > 1;
    this->traits_.goes_by_descriptors = !positional_;
    const bool shape = spec.given("shape"), rel_shape = spec.given("rel_shape");
    PENSTOCK_CHECK(positional_ + shape + rel_shape <= 1, ArgumentError,
                   "Shape input, `shape` argument and `rel_shape` argument are mutually exclusive");
    PENSTOCK_CHECK(
        positional_ || shape || rel_shape || spec.given("src_dims") || spec.given("layout") || spec.given("dtype"),
        ArgumentError, "the operator is a no-op: its arguments specify neither new shape, layout nor type");
    refuse_zero(this->constants().shape);
    refuse_zero(this->constants().rel_shape);
  }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const Args& args = this->args(s);
    TensorDesc& out = s.out(0).tensor;
    out.dtype = in.dtype;
    if constexpr (requires { args.dtype; }) out.dtype = args.dtype.value_or(in.dtype);
    out.shape = wanted_shape(s, args, in.shape);
    const auto in_size = static_cast<int64_t>(size_of(in.dtype)), out_size = static_cast<int64_t>(size_of(out.dtype));
    PENSTOCK_CHECK(out_size > 0, TypeError, "`dtype` is not an element type");
    const bool explicit_shape = positional_ || args.shape || args.rel_shape;
    if (!explicit_shape && in_size != out_size) rescale_innermost(out.shape, in_size, out_size);
    const int64_t bytes = in.shape.volume() * in_size;
    infer_wildcard(out.shape, bytes / out_size, in.shape);
    PENSTOCK_CHECK(out.shape.volume() * out_size == bytes, ArgumentError,
                   "Input and output samples must occupy the same size in bytes: the input {} holds {} elements, {} "
                   "bytes; the requested shape {} holds {} elements, {} bytes",
                   to_string(in.shape), in.shape.volume(), bytes, to_string(out.shape), out.shape.volume(),
                   out.shape.volume() * out_size);
    out.layout = {};
    if (args.layout)
      out.layout = layout_for(*args.layout, out.shape.ndim());
    else if (in.layout.ndim() == out.shape.ndim())
      out.layout = in.layout;
  }

 private:
  template <class List>
  static void refuse_zero(const std::optional<List>& extents) {
    if (!extents) return;
    for (auto extent : *extents)
      PENSTOCK_CHECK(extent != 0, ArgumentError, "Extent of 0 is illegal; got: [{}]", fmt::join(*extents, ", "));
  }

  Shape wanted_shape(const Sample& s, const ReshapeArgs& args, const Shape& in) const {
    if (positional_) {
      const TensorView& given = s.in(1).tensor;
      PENSTOCK_CHECK(!is_floating(given.dtype) && given.dtype != DType::kBool, TypeError,
                     "Shape input must have integral type; got: {}", name_of(given.dtype));
      std::vector<int64_t> extents;
      assign(extents, value_from(given));
      return Shape(extents);
    }
    if (args.shape) return Shape(*args.shape);
    if (args.rel_shape) return relative_shape(args, in);
    return source_extents(args, in);
  }

  static void rescale_innermost(Shape& shape, int64_t in_size, int64_t out_size) {
    const int last = shape.ndim() - 1;
    PENSTOCK_CHECK(last >= 0 && shape[last] * in_size % out_size == 0, ArgumentError,
                   "The size, in bytes, of the innermost dimension of {} is not divisible by the size of the requested "
                   "output type, {}",
                   to_string(shape), out_size);
    shape[last] = shape[last] * in_size / out_size;
  }

  bool positional_ = false;
};

template <class Args>
auto add_reshape(Registry& r, const char* name, const char* doc) {
  return r.add<Reshape<Args>>(name)
      .doc(doc)
      .input("data", {}, "Tensor of any shape and type.")
      .input("shape_input", {}, "The new shape, one integer an axis.")
      .holds("nothing")
      .optional()
      .reads_data()
      .output("output", "The same bytes under another shape.")
      .arg("shape", &Args::shape, "The new shape. One extent may be negative: it is inferred from the others.",
           kPerSample)
      .arg("rel_shape", &Args::rel_shape,
           "The new shape as multiples of the input's extents. One entry may be negative: it is inferred.", kPerSample)
      .arg("src_dims", &Args::src_dims,
           "Which input axis each output axis takes its extent from; -1 inserts an axis of extent 1.", kPerSample)
      .arg("layout", &Args::layout,
           "Layout of the output. When it is not given the input's stays if the number of axes does.")
      .example({{"src_dims", {1, 0, 2}}});
}

}  // namespace

[[gnu::cold]] void register_reshape(Registry& r) {
  add_reshape<ReshapeArgs>(r, "reshape", "Gives a tensor another shape or layout without touching its data.");
}

[[gnu::cold]] void register_reinterpret(Registry& r) {
  add_reshape<ReinterpretArgs>(r, "reinterpret",
                               "Reads the bytes of a tensor as another type, and gives it another shape or layout.")
      .arg("dtype", &ReinterpretArgs::dtype,
           "Type to read the bytes as. Without a new shape the innermost extent is adapted.");
}

}  // namespace penstock

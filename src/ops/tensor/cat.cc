#include <numeric>
#include <optional>
#include <vector>

#include "core/check.h"
#include "kernels/strided/strided.h"
#include "ops/axes.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct JoinArgs {
  int64_t axis = 0;
  std::optional<std::string> axis_name;
};

void check_axis_name(const JoinArgs& args) {
  PENSTOCK_CHECK(!args.axis_name || args.axis_name->size() == 1, ArgumentError,
                 "`axis_name` must be a single character; got \"{}\"", *args.axis_name);
}

int axis_among(int64_t axis, int low, int high, int ndim) {
  PENSTOCK_CHECK(axis >= low && axis <= high, ArgumentError,
                 "Invalid axis argument, {} for {}-D tensors. Accepted range is [{}, {}], with negative indices being "
                 "counted from the back",
                 axis, ndim, low, high);
  return static_cast<int>(axis);
}

/// Input `k` as it stands in the output: its shape, with the output's axes, and where it begins along `axis`.
struct Part {
  int input;
  Shape shape;
  int axis;
  int64_t begin;
};

void copy_part(Sample& s, const Part& part) {
  const auto& [k, shape, axis, begin] = part;
  const TensorView& out = s.out(0).tensor;
  const size_t element = size_of(out.dtype);
  const kernels::Strides strides = kernels::dense_strides(out.shape);
  const int64_t offset = begin * strides[static_cast<size_t>(axis)] * static_cast<int64_t>(element);
  kernels::strided_copy(shape, element, s.in(k).tensor.data, kernels::dense_strides(shape), out.data + offset, strides);
}

/// Operators that put their inputs beside each other. On a GPU each input is a job.
template <class S>
class JoinOperator : public SampleOperator<JoinArgs, S>, public device::GpuForm {
 public:
  void run(Sample& s) const override {
    for (const Part& part : parts(s)) copy_part(s, part);
  }
  std::vector<std::string_view> kernels() const override { return {kernels::kElements.name}; }
  size_t job_size() const override { return count() * sizeof(kernels::ElementJob); }
  void describe(Sample& s, device::Staging& staging, std::byte* job, bool) const override {
    auto* jobs = new (job) kernels::ElementJob[count()];
    for (size_t k = 0; k < count(); ++k) jobs[k].lane_extent = 0;  // inputs that are skipped
    const TensorDesc& out = s.out(0).tensor;
    ElementWork work;
    for (const auto& [k, shape, axis, begin] : parts(s)) {
      Shape start = shape;
      for (int i = 0; i < start.ndim(); ++i) start[i] = i == axis ? begin : 0;
      work.begin({out.dtype, shape, {}});
      work.place(out.shape, start);
      work.load(work.input(k, {out.dtype, shape, {}}, ElementView::broadcast(shape, shape)));
      std::vector<int> inputs(count());
      std::iota(inputs.begin(), inputs.end(), 0);
      work.write(staging, inputs, jobs[k]);
    }
  }
  void connect(std::byte* job, const Places& places) const override {
    auto* jobs = reinterpret_cast<kernels::ElementJob*>(job);
    for (size_t k = 0; k < count(); ++k) connect_elements(jobs[k], places);
  }
  void launch(const device::Launch& l) const override {
    l.kernels.at(kernels::kElements)({.stream = l.stream,
                                      .jobs = reinterpret_cast<const kernels::ElementJob*>(l.jobs),
                                      .count = l.count * static_cast<int>(count()),
                                      .most_elements = static_cast<int64_t>(l.most_elements)});
  }

 protected:
  virtual std::vector<Part> parts(const Sample& s) const = 0;

 private:
  size_t count() const { return static_cast<size_t>(this->spec().num_inputs); }
};

struct CatState {
  int axis = 0;
};

class Cat final : public JoinOperator<CatState> {
 public:
  void setup() override {
    check_axis_name(constants());
    PENSTOCK_CHECK(!spec().given("axis") || !constants().axis_name, ArgumentError,
                   "Arguments `axis` and `axis_name` cannot be used together");
  }

  void infer(Sample& s) const override {
    const TensorDesc& first = s.in(0).tensor;
    TensorDesc& out = s.out(0).tensor;
    out = {first.dtype, first.shape, first.layout};
    const int ndim = first.shape.ndim();
    for (int k = 1; k < s.num_inputs(); ++k) {
      const TensorDesc& in = s.in(k).tensor;
      PENSTOCK_CHECK(in.dtype == first.dtype && in.shape.ndim() == ndim, ArgumentError,
                     "All inputs must have the same type and number of dimensions. input #0: {}, {}-D; input #{}: {}, "
                     "{}-D",
                     name_of(first.dtype), ndim, k, name_of(in.dtype), in.shape.ndim());
      if (out.layout.empty()) out.layout = in.layout;
    }
    state(s).axis = find_axis(args(s), out);
    join_shapes(s, state(s).axis);
  }

 private:
  std::vector<Part> parts(const Sample& s) const override {
    std::vector<Part> list;
    int64_t begin = 0;
    for (int k = 0; k < s.num_inputs(); ++k) {
      const Shape& shape = s.in(k).tensor.shape;
      if (shape.volume() == 0) continue;
      list.push_back({k, shape, state(s).axis, begin});
      begin += shape[state(s).axis];
    }
    return list;
  }

  static int find_axis(const JoinArgs& args, const TensorDesc& desc) {
    const int ndim = desc.shape.ndim();
    if (!args.axis_name) {
      const int axis = axis_among(args.axis, -ndim, ndim - 1, ndim);
      return axis < 0 ? axis + ndim : axis;
    }
    const int axis = desc.layout.find((*args.axis_name)[0]);
    PENSTOCK_CHECK(axis >= 0, ArgumentError, "`axis_name` specifies an undefined axis '{}' for layout \"{}\"",
                   *args.axis_name, desc.layout.view());
    return axis;
  }

  /// Fills the output's shape. Empty inputs that do not fit are skipped.
  static void join_shapes(Sample& s, int axis) {
    int reference = 0;
    while (reference + 1 < s.num_inputs() && s.in(reference).tensor.shape.volume() == 0) ++reference;
    if (s.in(reference).tensor.shape.volume() == 0) reference = 0;
    Shape& out = s.out(0).tensor.shape;
    out = s.in(reference).tensor.shape;
    int64_t total = 0;
    for (int k = 0; k < s.num_inputs(); ++k) {
      const Shape& in = s.in(k).tensor.shape;
      Shape fitted = in;
      fitted[axis] = out[axis];
      PENSTOCK_CHECK(fitted == out || in.volume() == 0, ArgumentError,
                     "Concatenated tensors can differ in size only in the concatenation axis ({}): input #{} has the "
                     "shape {}, which does not fit {}",
                     axis, k, to_string(in), to_string(out));
      if (fitted == out) total += in[axis];
    }
    out[axis] = total;
  }
};

struct StackState {
  int axis = 0;
};

class Stack final : public JoinOperator<StackState> {
 public:
  void setup() override { check_axis_name(constants()); }

  void infer(Sample& s) const override {
    const TensorDesc& first = s.in(0).tensor;
    Layout layout = first.layout;
    for (int k = 1; k < s.num_inputs(); ++k) {
      const TensorDesc& in = s.in(k).tensor;
      PENSTOCK_CHECK(in.dtype == first.dtype, ArgumentError,
                     "All inputs must have the same type and number of dimensions: input #0 is {}, input #{} is {}",
                     name_of(first.dtype), k, name_of(in.dtype));
      PENSTOCK_CHECK(in.shape == first.shape, ArgumentError,
                     "Tensor stacking requires that all tensors being stacked are of equal shape: input #0 has {}, "
                     "input #{} has {}",
                     to_string(first.shape), k, to_string(in.shape));
      if (layout.empty()) layout = in.layout;
    }
    const int ndim = first.shape.ndim();
    const int axis = axis_among(args(s).axis, -ndim, ndim, ndim);
    state(s).axis = axis < 0 ? axis + ndim + 1 : axis;
    TensorDesc& out = s.out(0).tensor;
    out = {first.dtype, first.shape, {}};
    out.shape.insert(state(s).axis, s.num_inputs());
    if (!args(s).axis_name) return;
    PENSTOCK_CHECK(layout.ndim() == ndim, ArgumentError,
                   "Specifying the new axis name with `axis_name` with non-scalar input requires a non-empty input "
                   "layout");
    layout.insert(state(s).axis, (*args(s).axis_name)[0]);
    out.layout = layout;
  }

 private:
  std::vector<Part> parts(const Sample& s) const override {
    std::vector<Part> list;
    for (int k = 0; k < s.num_inputs(); ++k) list.push_back({k, s.in(k).tensor.shape, state(s).axis, k});
    for (Part& part : list) part.shape.insert(part.axis, 1);
    return list;
  }
};

}  // namespace

[[gnu::cold]] void register_cat(Registry& r) {
  r.add<Cat>("cat")
      .doc("Joins tensors along an axis that they have.")
      .input(
          "input", {},
          "Tensors of one type that differ in their extent along the axis only. Of several layouts the first counts.")
      .variadic()
      .output("output", "The joined tensor.")
      .arg("axis", &JoinArgs::axis, "Axis to join along; negative ones count from the back. Excludes `axis_name`.")
      .arg("axis_name", &JoinArgs::axis_name, "Letter of the axis to join along. Excludes `axis`.")
      .differs(
          "The result of tensors without elements has the sum of their extents; DALI gives it the first one's shape. "
          "The "
          "layout is that of the first input that has one; in DALI that of the first input.");
}

[[gnu::cold]] void register_stack(Registry& r) {
  r.add<Stack>("stack")
      .doc("Joins tensors along a new axis.")
      .input("input", {}, "Tensors of one type and shape.")
      .variadic()
      .output("output", "A tensor with one axis more.")
      .arg("axis", &JoinArgs::axis, "Position of the new axis; negative ones count from the back.")
      .arg("axis_name", &JoinArgs::axis_name,
           "Letter of the new axis in the layout. Without it the layout is cleared.");
}

}  // namespace penstock

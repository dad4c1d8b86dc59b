// Base of operators that reduce tensors along some of their axes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/check.h"
#include "device/gpu_form.h"
#include "kernels/reduce/job.h"
#include "ops/axes.h"
#include "schema/registry.h"

namespace penstock {

using kernels::Reduction;

struct ReductionArgs {
  std::vector<int64_t> axes;
  std::string axis_names;
  bool keep_dims = false;
};
struct TypedReductionArgs : ReductionArgs {
  std::optional<DType> dtype;
};
struct SpreadArgs : ReductionArgs {
  int64_t ddof = 0;
};

/// One flag for each axis: whether it is reduced.
using AxisFlags = std::array<bool, kMaxDims>;
AxisFlags reduced_flags(const AxisList& reduced);
/// The tensor without its reduced axes, or with one element along them.
TensorDesc reduced_desc(const TensorDesc& in, const AxisFlags& reduced, bool keep_dims);

/// What passes from infer to run.
struct ReductionState {
  AxisFlags reduced{};
  int64_t ddof = 0;
};

/// Writes output 0.
void run_reduction(Sample& s, Reduction kind, const ReductionState& state);

/// Reduction on a GPU.
class ReductionForm : public device::JobForm<kernels::ReduceJob> {
 public:
  ReductionForm() : JobForm(kernels::kReduce) {}
  size_t scratch_size(const std::byte* job) const final;
  void connect(std::byte* job, const Places& places) const final;
  void launch(const device::Launch& launch) const final;

 protected:
  virtual Reduction kind() const = 0;
  virtual const ReductionState& state_of(const Sample& s) const = 0;

 private:
  void describe(Sample& s, device::Staging& staging, kernels::ReduceJob& job) const final;
};

template <class A, Reduction kKind>
class ReductionOperator final : public SampleOperator<A, ReductionState>, public ReductionForm {
 public:
  void setup() override {
    by_number_ = this->spec().given("axes");
    by_name_ = this->spec().given("axis_names");
    PENSTOCK_CHECK(!by_number_ || !by_name_, ArgumentError, "Arguments `axes` and `axis_names` are mutually exclusive");
    if constexpr (std::is_same_v<A, SpreadArgs>)
      PENSTOCK_CHECK(this->constants().ddof >= 0, ArgumentError, "`ddof` must not be negative, got {}",
                     this->constants().ddof);
  }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const A& a = this->args(s);
    ReductionState& state = this->state(s);
    state.reduced = reduced_flags(by_number_ ? axes_in(a.axes, in)
                                  : by_name_ ? axes_named(a.axis_names, in)
                                             : all_axes(in));
    TensorDesc desc = reduced_desc(in, state.reduced, a.keep_dims);
    desc.dtype = made_type(a, in.dtype);
    s.out(0).describe(desc);
    if constexpr (std::is_same_v<A, SpreadArgs>) {
      state.ddof = a.ddof;
      const Shape& mean = s.in(1).tensor.shape;
      PENSTOCK_CHECK(mean.volume() == desc.shape.volume(), ArgumentError,
                     "the mean has the shape {} and {} numbers; the reduction of {} needs {}", to_string(mean),
                     mean.volume(), to_string(in.shape), desc.shape.volume());
    }
  }
  void run(Sample& s) const override { run_reduction(s, kKind, this->state(s)); }

 private:
  static DType made_type(const A& a, DType in) {
    if constexpr (kKind == Reduction::kMin || kKind == Reduction::kMax) return in;
    if constexpr (std::is_same_v<A, TypedReductionArgs>)
      if (a.dtype) return *a.dtype;
    if (kKind == Reduction::kSum) return is_floating(in) ? in : is_signed(in) ? DType::kInt64 : DType::kUInt64;
    return DType::kFloat;
  }
  Reduction kind() const override { return kKind; }
  const ReductionState& state_of(const Sample& s) const override { return this->state(s); }

  bool by_number_ = false, by_name_ = false;
};

/// Describes what all of them have in common.
template <class A, Reduction kKind>
OpBuilder<ReductionOperator<A, kKind>> add_reduction(Registry& r, std::string name, const char* doc, const char* made) {
  OpBuilder<ReductionOperator<A, kKind>> op = r.add<ReductionOperator<A, kKind>>(std::move(name));
  op.doc(doc).input("data", {}, "Tensor of any shape and type.").output("reduced", made);
  if constexpr (std::is_same_v<A, SpreadArgs>)
    op.input("mean", {}, "The mean of each group, as `reductions.mean` gives it for the same axes.").holds("number");
  op.arg("axes", &ReductionArgs::axes, "Axes to reduce; negative ones count from the last. All when not given.")
      .arg("axis_names", &ReductionArgs::axis_names, "The same by letters of the layout.")
      .arg("keep_dims", &ReductionArgs::keep_dims, "Whether reduced axes stay, with one element.")
      .tolerance(1e-3);
  if constexpr (std::is_same_v<A, TypedReductionArgs>)
    op.arg("dtype", &TypedReductionArgs::dtype, "Type of the output.");
  if constexpr (std::is_same_v<A, SpreadArgs>)
    op.arg("ddof", &SpreadArgs::ddof,
           "The sum of squares is divided by the number of elements less this one. Where that is not positive, the "
           "result is no finite number.");
  return op;
}

}  // namespace penstock

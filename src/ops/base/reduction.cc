#include "ops/base/reduction.h"

#include <algorithm>
#include <cmath>

#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/reduce/reduce.h"

namespace penstock {
namespace {

/// A block of a GPU has at least so many elements of a group to reduce, where groups are divided.
constexpr int64_t kPartElements = 4096;
constexpr int64_t kMostParts = 256;

bool is_spread(Reduction kind) { return kind == Reduction::kVariance || kind == Reduction::kDeviation; }

kernels::ReducedAxes axes_of(const Sample& s, const ReductionState& state) {
  const Shape& shape = s.in(0).tensor.shape;
  return {shape, std::span(state.reduced).first(static_cast<size_t>(shape.ndim()))};
}

std::span<double> numbers(Sample& s, const kernels::ReducedAxes& axes) {
  const auto n = static_cast<size_t>(axes.groups);
  return {s.scratch_array<double>(n), n};
}

template <class Number>
void store(std::span<Number> values, const TensorView& out) {
  dispatch_all(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::ranges::transform(values, out.as<T>(), [](Number value) { return convert_sat<T>(value); });
  });
}

/// Sums of integers are exact, and faster.
void run_sum(Sample& s, const kernels::ReducedAxes& axes, bool mean) {
  const TensorView &in = s.in(0).tensor, &out = s.out(0).tensor;
  const std::span<double> sums = numbers(s, axes);
  if (is_floating(in.dtype)) {
    kernels::reduce_sum(in, axes, sums.data());
  } else {
    auto* whole = s.scratch_array<int64_t>(sums.size());
    kernels::reduce_sum(in, axes, whole);
    const std::span<int64_t> with_sign(whole, sums.size());
    const std::span<uint64_t> without(reinterpret_cast<uint64_t*>(whole), sums.size());
    if (!mean) return is_signed(in.dtype) ? store(with_sign, out) : store(without, out);
    if (is_signed(in.dtype))
      std::ranges::copy(with_sign, sums.begin());
    else
      std::ranges::copy(without, sums.begin());
  }
  if (mean)
    for (double& sum : sums) sum /= static_cast<double>(axes.size);
  store(sums, out);
}

void run_squares(Sample& s, const kernels::ReducedAxes& axes, Reduction kind, int64_t ddof) {
  std::span<double> centres;
  if (is_spread(kind)) {
    centres = numbers(s, axes);
    const TensorView& mean = s.in(1).tensor;
    dispatch_all(mean.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (size_t i = 0; i < centres.size(); ++i) centres[i] = convert_sat<double>(mean.as<T>()[i]);
    });
  }
  const std::span<double> sums = numbers(s, axes);
  kernels::reduce_squares(s.in(0).tensor, axes, centres.data(), sums.data());
  const auto divisor = static_cast<double>(is_spread(kind) ? axes.size - ddof : axes.size);
  const bool root = kind == Reduction::kRootMeanSquare || kind == Reduction::kDeviation;
  for (double& sum : sums) sum = root ? std::sqrt(sum / divisor) : sum / divisor;
  store(sums, s.out(0).tensor);
}

/// The kept or the reduced axes, as a GPU walks along them.
kernels::WalkedAxes walked(const kernels::ReducedAxes& axes, bool kept) {
  kernels::WalkedAxes made;
  int64_t stride = 1;
  std::array<int64_t, kMaxDims> strides{};
  for (int i = axes.count - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = stride;
    stride *= axes.axes[i].extent;
  }
  for (int i = 0; i < axes.count; ++i) {
    if ((axes.axes[i].groups > 0) != kept) continue;
    made.extents[made.ndim] = axes.axes[i].extent;
    made.strides[made.ndim++] = strides[static_cast<size_t>(i)];
  }
  return made;
}

}  // namespace

AxisFlags reduced_flags(const AxisList& reduced) {
  AxisFlags flags{};
  for (const int axis : reduced) flags[static_cast<size_t>(axis)] = true;
  return flags;
}

TensorDesc reduced_desc(const TensorDesc& in, const AxisFlags& reduced, bool keep_dims) {
  TensorDesc out{in.dtype, {}, {}};
  std::string letters;
  for (int axis = 0; axis < in.shape.ndim(); ++axis) {
    const bool gone = reduced[static_cast<size_t>(axis)];
    if (gone && !keep_dims) continue;
    out.shape.push_back(gone ? 1 : in.shape[axis]);
    if (!in.layout.empty()) letters += in.layout[axis];
  }
  out.layout = Layout(letters);
  return out;
}

void run_reduction(Sample& s, Reduction kind, const ReductionState& state) {
  const kernels::ReducedAxes axes = axes_of(s, state);
  if (kind == Reduction::kMin || kind == Reduction::kMax)
    return kernels::reduce_extreme(s.in(0).tensor, axes, kind == Reduction::kMax, s.out(0).tensor.data);
  if (kind == Reduction::kSum || kind == Reduction::kMean) return run_sum(s, axes, kind == Reduction::kMean);
  run_squares(s, axes, kind, state.ddof);
}

void ReductionForm::describe(Sample& s, device::Staging&, kernels::ReduceJob& job) const {
  const kernels::ReducedAxes axes = axes_of(s, state_of(s));
  job.in_type = s.in(0).tensor.dtype;
  PENSTOCK_CHECK(job.in_type != DType::kBFloat16, TypeError, "bfloat16 is not reduced on a GPU; cast to FLOAT");
  job.out_type = s.out(0).tensor.dtype;
  if (is_spread(kind())) job.centre_type = s.in(1).tensor.dtype;
  job.kind = kind();
  job.kept = walked(axes, true);
  job.reduced = walked(axes, false);
  job.groups = axes.groups;
  job.size = axes.size;
  job.parts = static_cast<int32_t>(std::clamp<int64_t>(axes.size / kPartElements, 1, kMostParts));
  job.ddof = state_of(s).ddof;
}

size_t ReductionForm::scratch_size(const std::byte* memory) const {
  const auto& job = *reinterpret_cast<const kernels::ReduceJob*>(memory);
  return static_cast<size_t>(job.groups * job.parts) * sizeof(uint64_t);
}

void ReductionForm::connect(std::byte* memory, const Places& places) const {
  auto& job = *reinterpret_cast<kernels::ReduceJob*>(memory);
  job.in = places.in[0];
  if (is_spread(kind())) job.centres = places.in[1];
  job.out = places.out;
  job.partial = reinterpret_cast<uint64_t*>(places.scratch);
}

void ReductionForm::launch(const device::Launch& launch) const {
  device::Launch parts = launch;
  parts.most_elements = 0;
  for (int i = 0; i < launch.count; ++i) {
    const auto& job = reinterpret_cast<const kernels::ReduceJob*>(launch.described)[i];
    parts.most_elements = std::max(parts.most_elements, static_cast<size_t>(job.groups * job.parts));
  }
  parts.start(kernels::kReduce);
}

}  // namespace penstock

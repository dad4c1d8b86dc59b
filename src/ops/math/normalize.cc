#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.h"
#include "core/host_pool.h"
#include "kernels/reduce/normalize.h"
#include "kernels/reduce/reduce.h"
#include "kernels/statistics/job.h"
#include "ops/elements/element_batch.h"
#include "ops/math/normalize_job.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct NormalizeArgs {
  bool batch = false;
  std::vector<float> mean, stddev;
  std::vector<int64_t> axes;
  std::string axis_names;
  float shift = 0, scale = 1, epsilon = 0;
  int32_t ddof = 0;
  DType dtype = DType::kFloat;
};

void check_normalize_args(const OpSpec& spec, const NormalizeArgs& args) {
  const bool axes = spec.given("axes"), names = spec.given("axis_names");
  PENSTOCK_CHECK(!axes || !names, ArgumentError, "Arguments `axes` and `axis_names` are mutually exclusive");
  PENSTOCK_CHECK(!(axes || names) || args.mean.empty() || args.stddev.empty(), ArgumentError,
                 "Axes must not be specified when both mean and standard deviation are scalars");
  PENSTOCK_CHECK(!axes || !args.axes.empty(), ArgumentError, "`axes` must specify at least one reduction axis");
  PENSTOCK_CHECK(args.ddof >= 0 && args.epsilon >= 0, ArgumentError, "`ddof` and `epsilon` cannot be negative");
  PENSTOCK_CHECK(args.dtype != DType::kNone && args.dtype != DType::kBool && size_of(args.dtype) <= 4 &&
                     (args.dtype == DType::kFloat || !is_floating(args.dtype)),
                 ArgumentError, "unsupported output type: {}; use FLOAT or an integer of up to 32 bits",
                 name_of(args.dtype));
}

/// The axes to reduce; `parameter`: the shape of a mean or stddev tensor, if there is one of more than zero dimensions.
AxisList reduced_axes(const OpSpec& spec, const NormalizeArgs& args, const TensorDesc& input, const Shape* parameter) {
  AxisList axes = spec.given("axes")         ? axes_in(args.axes, input)
                  : spec.given("axis_names") ? axes_named(args.axis_names, input)
                                             : all_axes(input);
  if (!parameter) return axes;
  PENSTOCK_CHECK(parameter->ndim() == input.shape.ndim(), ArgumentError,
                 "`mean` and `stddev` need as many dimensions as the input, {}; got {}", input.shape.ndim(),
                 parameter->ndim());
  if (!spec.given("axes") && !spec.given("axis_names")) {
    axes.count = 0;
    for (int i = 0; i < input.shape.ndim(); ++i)
      if ((*parameter)[i] == 1) axes.axes[static_cast<size_t>(axes.count++)] = i;
  }
  return axes;
}

void check_parameter(const Shape& parameter, const TensorDesc& input, const AxisList& axes) {
  for (int i = 0; i < input.shape.ndim(); ++i)
    PENSTOCK_CHECK(parameter.ndim() == input.shape.ndim() && parameter[i] == (axes.has(i) ? 1 : input.shape[i]),
                   ArgumentError, "parameter shape {} does not match the input of shape {} with the reduced axes as 1",
                   to_string(parameter), to_string(input.shape));
}

kernels::ReducedAxes groups_of(const Shape& shape, const AxisList& reduced) {
  std::array<bool, kMaxDims> flags{};
  for (int i = 0; i < shape.ndim(); ++i) flags[static_cast<size_t>(i)] = reduced.has(i);
  return {shape, flags};
}

struct Factors {
  std::vector<float> mean, inverse;  // one per group
};

/// One value per group from a list of one or as many.
std::vector<float> spread(const std::vector<float>& list, int64_t groups) {
  return list.size() == 1 ? std::vector<float>(static_cast<size_t>(groups), list[0]) : list;
}

/// 1 / sqrt(x), but 0 for 0: constant inputs become `shift`.
double reciprocal_root(double x) { return x > 0 ? 1 / std::sqrt(x) : 0; }

/// The factors that follow from a given deviation.
std::vector<float> given_inverse(const NormalizeArgs& args, int64_t groups) {
  std::vector<float> inverse = spread(args.stddev, groups);
  for (float& x : inverse) {
    x = args.epsilon > 0 ? static_cast<float>(reciprocal_root(static_cast<double>(x) * x + args.epsilon)) : 1 / x;
    x *= args.scale;
  }
  return inverse;
}

using AllGroups = std::span<const kernels::ReducedAxes>;
using AllInputs = std::span<const TensorView>;

std::vector<float> find_means(AllGroups groups, AllInputs inputs, int64_t elements) {
  const auto count = static_cast<size_t>(groups[0].groups);
  std::vector<double> sums(count), of_one(count);
  for (size_t k = 0; k < inputs.size(); ++k) {
    kernels::reduce_sum(inputs[k], groups[k], of_one.data());
    for (size_t i = 0; i < count; ++i) sums[i] += of_one[i];
  }
  std::vector<float> means(count);
  for (size_t i = 0; i < count; ++i) means[i] = static_cast<float>(sums[i] / static_cast<double>(elements));
  return means;
}

/// Of `freedom` elements that are free in each group; without one the variance counts as 0.
std::vector<float> find_inverse(AllGroups groups, AllInputs inputs, const std::vector<float>& means, int64_t freedom,
                                const NormalizeArgs& args) {
  const std::vector<double> centres(means.begin(), means.end());
  std::vector<double> sums(means.size()), of_one(means.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    kernels::reduce_squares(inputs[k], groups[k], centres.data(), of_one.data());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += of_one[i];
  }
  std::vector<float> inverse;
  for (const double sum : sums) {
    const double variance = freedom > 0 ? sum / static_cast<double>(freedom) : 0;
    inverse.push_back(static_cast<float>(reciprocal_root(variance + args.epsilon)) * args.scale);
  }
  return inverse;
}

/// Mean and factor of each group, which are as many in all inputs. Statistics that are not given come from the inputs.
Factors find_factors(const NormalizeArgs& args, AllGroups groups, AllInputs inputs) {
  int64_t elements = 0;
  for (const kernels::ReducedAxes& axes : groups) elements += axes.size;
  Factors found;
  found.mean = args.mean.empty() ? find_means(groups, inputs, elements) : spread(args.mean, groups[0].groups);
  found.inverse = args.stddev.empty() ? find_inverse(groups, inputs, found.mean, elements - args.ddof, args)
                                      : given_inverse(args, groups[0].groups);
  return found;
}

TensorDesc output_of(const NormalizeArgs& args, const TensorDesc& input) {
  PENSTOCK_CHECK(size_of(input.dtype) <= 4 && input.dtype != DType::kBool &&
                     (input.dtype == DType::kFloat || !is_floating(input.dtype)),
                 TypeError, "unsupported input type: {}; use float or an integer of up to 32 bits",
                 name_of(input.dtype));
  TensorDesc output = input;
  output.dtype = args.dtype;
  return output;
}

/// The statistics of one sample, for a GPU to find where they are not given.
kernels::StatisticsJob statistics_of(const NormalizeArgs& args, const TensorDesc& input, const AxisList& axes,
                                     device::Staging& staging) {
  kernels::StatisticsJob job = statistics_job(input, axes);
  job.scale = args.scale, job.epsilon = args.epsilon, job.ddof = args.ddof;
  job.mean_given = !args.mean.empty(), job.inverse_given = !args.stddev.empty();
  const auto put = [&](const std::vector<float>& list) {
    return const_cast<float*>(staging.put(std::span<const float>(list)));  // NOLINT: the kernel reads given ones only
  };
  if (job.mean_given) job.mean = put(spread(args.mean, job.groups));
  if (job.inverse_given) job.inverse = put(given_inverse(args, job.groups));
  return job;
}

class Normalize final : public SampleOperator<NormalizeArgs>, public device::GpuForm {
 public:
  void setup() override { check_normalize_args(spec(), constants()); }
  void infer(Sample& s) const override { s.out(0).describe(output_of(args(s), s.in(0).tensor)); }
  void run(Sample& s) const override {
    const TensorView& input = s.in(0).tensor;
    const kernels::ReducedAxes groups = groups_of(input.shape, checked_axes(s));
    const Factors factors = find_factors(args(s), {&groups, 1}, {&input, 1});
    kernels::normalize_groups(input, groups, factors.mean, factors.inverse, args(s).shift, s.out(0).tensor);
  }

  std::vector<std::string_view> kernels() const override { return NormalizeKernels::names(); }
  size_t job_size() const override { return sizeof(NormalizeJob); }
  void describe(Sample& s, device::Staging& staging, std::byte* to, bool) const override {
    auto& job = *new (to) NormalizeJob;
    const TensorDesc& input = s.in(0).tensor;
    const AxisList axes = checked_axes(s);
    job.statistics = statistics_of(args(s), input, axes, staging);
    ElementWork work;
    work.begin(s.out(0).tensor);
    normalize_elements(work, work.input(0, input, ElementView::broadcast(input.shape, input.shape)), input, axes,
                       args(s).shift);
    const int inputs[] = {0};
    work.write(staging, inputs, job.elements);
  }
  size_t scratch_size(const std::byte* job) const override { return statistics_size(job_at(job).statistics); }
  void connect(std::byte* job, const Places& places) const override {
    auto& mine = *reinterpret_cast<NormalizeJob*>(job);
    connect_normalize(mine, places, mine);
  }
  void launch(const device::Launch& l) const override {
    const NormalizeKernels kernels{l.kernels.at(kernels::kStatistics), l.kernels.at(kernels::kElements)};
    const auto* described = reinterpret_cast<const NormalizeJob*>(l.described);
    kernels.launch(l.stream, {described, static_cast<size_t>(l.count)}, reinterpret_cast<const NormalizeJob*>(l.jobs),
                   1, static_cast<int64_t>(l.most_elements));
  }

 private:
  static const NormalizeJob& job_at(const std::byte* job) { return *reinterpret_cast<const NormalizeJob*>(job); }
  AxisList checked_axes(const Sample& s) const {
    const TensorView& input = s.in(0).tensor;
    const Shape* parameter = nullptr;
    for (int i = 0; i < s.num_arg_inputs(); ++i)
      if (s.arg_in(i).tensor.shape.ndim() > 0) parameter = &s.arg_in(i).tensor.shape;
    const AxisList axes = reduced_axes(spec(), args(s), input, parameter);
    for (int i = 0; i < s.num_arg_inputs(); ++i)
      if (s.arg_in(i).tensor.shape.ndim() > 0) check_parameter(s.arg_in(i).tensor.shape, input, axes);
    return axes;
  }
};

/// batch=True: statistics over all samples.
class NormalizeBatch final : public BatchOperator<NormalizeArgs>, public device::GpuBatchForm {
 public:
  std::vector<std::string_view> kernels() const override { return NormalizeKernels::names(); }
  void setup() override {
    check_normalize_args(spec(), constants());
    PENSTOCK_CHECK(spec().arg_inputs.empty(), ArgumentError,
                   "`batch` normalization cannot be used with `mean` or `stddev` given per sample");
  }
  void run(BatchContext& batch) const override {
    const TensorList& inputs = *batch.inputs[0];
    std::vector<TensorView> views;
    for (int64_t i = 0; i < inputs.size(); ++i) views.push_back(inputs[i]);
    const AxisList axes = common_axes(inputs);
    std::vector<kernels::ReducedAxes> groups;
    for (const TensorView& view : views) groups.push_back(groups_of(view.shape, axes));
    const Factors factors = find_factors(constants(), groups, views);
    size_t bytes = 0;
    for (const TensorView& view : views) bytes += output_of(constants(), view).nbytes();
    const Buffer block = HostPool::process()->allocate(bytes);
    std::byte* data = block.data;
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < views.size(); ++i) {
      const TensorView out{output_of(constants(), views[i]), data};
      kernels::normalize_groups(views[i], groups[i], factors.mean, factors.inverse, constants().shift, out);
      outputs.push_back({{block.owner, data, out.nbytes()}, out, std::string(inputs.source(static_cast<int64_t>(i)))});
      data += out.nbytes();
    }
    batch.outputs.assign(1, TensorList(std::move(outputs)));
  }

  void run(BatchContext& batch, device::Device& device, device::Stream stream) const override {
    const TensorList& inputs = *batch.inputs[0];
    const AxisList axes = common_axes(inputs);
    std::vector<TensorDesc> made;
    for (int64_t i = 0; i < inputs.size(); ++i) made.push_back(output_of(constants(), inputs[i]));
    NormalizedBatch work(device, stream, made);
    for (int64_t i = 0; i < inputs.size(); ++i)
      work.add(inputs[i], statistics_of(constants(), inputs[i], axes, work.staging()), axes, constants().shift);
    TensorList out = work.launch();
    out.set_sources(inputs.sources());
    batch.outputs.assign(1, std::move(out));
  }

 private:
  AxisList common_axes(const TensorList& inputs) const {
    const AxisList axes = reduced_axes(spec(), constants(), inputs[0], nullptr);
    for (int64_t i = 0; i < inputs.size(); ++i)
      for (int d = 0; d < inputs[i].shape.ndim(); ++d)
        PENSTOCK_CHECK(axes.has(d) || inputs[i].shape[d] == inputs[0].shape[d], DataError,
                       "axes that are not reduced must have the same extents in the whole batch; got {} and {}",
                       to_string(inputs[0].shape), to_string(inputs[i].shape));
    return axes;
  }
};

}  // namespace

[[gnu::cold]] void register_normalize(Registry& r) {
  using Args = NormalizeArgs;
  r.add<Normalize>("normalize")
      .instead<NormalizeBatch>([](const OpSpec& spec) {
        NormalizeArgs args;
        take_constant(spec, "batch", args.batch);
        return args.batch;
      })
      .doc("Subtracts the mean and divides by the standard deviation: scale * (x - mean) / stddev + shift.")
      .input("data", {}, "Integers of up to 32 bits, or float.")
      .output("normalized", "Shape and layout as the input.")
      .arg("batch", &Args::batch, "Take the statistics over the whole batch.")
      .arg("mean", &Args::mean, "A number, or a tensor with extent 1 along reduced axes; None: the data's.", kPerSample)
      .arg("stddev", &Args::stddev, "A number, or a tensor like `mean`; None: the data's.", kPerSample)
      .arg("axes", &Args::axes, "Axes to reduce; by default all, or those along which `mean` or `stddev` has extent 1.")
      .arg("axis_names", &Args::axis_names, "Letters of the axes to reduce. Excludes `axes`.")
      .arg("shift", &Args::shift, "Added to the result; useful for unsigned types.")
      .arg("scale", &Args::scale, "Multiplies the normalized value.")
      .arg("epsilon", &Args::epsilon, "Added to the variance.")
      .arg("ddof", &Args::ddof,
           "Subtracted from the number of elements in the variance, which is 0 where none are left.")
      .arg("dtype", &Args::dtype, "FLOAT, or an integer of up to 32 bits.");
}

}  // namespace penstock

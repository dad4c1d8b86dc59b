#include <algorithm>
#include <cstring>
#include <vector>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "device/gpu_form.h"
#include "kernels/pad/job.h"
#include "kernels/strided/strided.h"
#include "ops/axes.h"
#include "ops/batch_output.h"
#include "ops/gpu_batch.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct PadArgs {
  float fill_value = 0;
  std::vector<int64_t> axes;
  std::string axis_names;
  std::vector<int64_t> align, shape;
};

/// The value for the k-th of `count` axes; one value serves all, none gives `fallback`.
int64_t value_for(const std::vector<int64_t>& values, int k, int count, int64_t fallback, const char* name) {
  if (values.empty()) return fallback;
  PENSTOCK_CHECK(values.size() == 1 || static_cast<int>(values.size()) == count, ArgumentError,
                 "`{}` needs one value, or one for each of the {} padded axes, got {}", name, count, values.size());
  return values[values.size() == 1 ? 0 : static_cast<size_t>(k)];
}

class Pad final : public BatchOperator<PadArgs>, public device::GpuBatchForm {
 public:
  std::vector<std::string_view> kernels() const override { return {kernels::kPad.name}; }
  void setup() override {
    PENSTOCK_CHECK(!spec().given("axes") || !spec().given("axis_names"), ArgumentError,
                   "\"axes\" and \"axis_names\" are mutually exclusive");
  }

  void run(BatchContext& batch) const override {
    const TensorList& in = *batch.inputs[0];
    const std::vector<PadArgs> args = all_args(batch);
    TensorList out = allocate_batch(described(in, args));
    for (int64_t i = 0; i < in.size(); ++i) write(in[i], out[i], args[static_cast<size_t>(i)].fill_value);
    out.set_sources(in.sources());
    batch.outputs[0] = std::move(out);
  }

  void run(BatchContext& batch, device::Device& device, device::Stream stream) const override {
    const TensorList& in = *batch.inputs[0];
    const std::vector<PadArgs> args = all_args(batch);
    GpuBatch<kernels::PadJob> jobs(device, stream, described(in, args));
    for (int64_t i = 0; i < in.size(); ++i) {
      const TensorView& out = jobs.output()[i];
      describe(in[i], out, args[static_cast<size_t>(i)].fill_value, jobs.add(out.shape.volume()));
    }
    TensorList out = jobs.launch(kernels::kPad, {static_cast<int32_t>(size_of(in.dtype()))});
    out.set_sources(in.sources());
    batch.outputs[0] = std::move(out);
  }

 private:
  std::vector<PadArgs> all_args(const BatchContext& batch) const {
    std::vector<PadArgs> all;
    for (int64_t i = 0; i < batch.inputs[0]->size(); ++i) all.push_back(args(batch, i));
    return all;
  }

  std::vector<TensorDesc> described(const TensorList& in, const std::vector<PadArgs>& args) const {
    const Shape largest = largest_extents(in);
    std::vector<TensorDesc> descs;
    for (int64_t i = 0; i < in.size(); ++i) descs.push_back(padded(in[i], args[static_cast<size_t>(i)], largest));
    return descs;
  }

  static Shape largest_extents(const TensorList& in) {
    Shape largest = in.size() > 0 ? in[0].shape : Shape{};
    for (int64_t i = 1; i < in.size(); ++i)
      for (int axis = 0; axis < largest.ndim(); ++axis) largest[axis] = std::max(largest[axis], in[i].shape[axis]);
    return largest;
  }

  TensorDesc padded(const TensorDesc& in, const PadArgs& args, const Shape& largest) const {
    const AxisList axes = !args.axis_names.empty() ? axes_named(args.axis_names, in)
                          : !args.axes.empty()     ? axes_in(args.axes, in)
                                                   : all_axes(in);
    TensorDesc out{in.dtype, in.shape, in.layout};
    for (int k = 0; k < axes.count; ++k) {
      const int axis = axes.axes[static_cast<size_t>(k)];
      const int64_t asked = value_for(args.shape, k, axes.count, -1, "shape");
      const int64_t align = value_for(args.align, k, axes.count, 1, "align");
      PENSTOCK_CHECK(align > 0, ArgumentError, "Values of `align` argument must be positive, got {}", align);
      int64_t& extent = out.shape[axis];
      extent = asked > 0 ? std::max(asked, extent) : largest[axis];
      PENSTOCK_CHECK(extent <= INT64_MAX - align, ArgumentError, "an extent of {} is too large to align to {}", extent,
                     align);
      extent = (extent + align - 1) / align * align;
    }
    return out;
  }

  static void describe(const TensorView& in, const TensorView& out, float fill_value, kernels::PadJob& job) {
    job.in = in.data;
    job.out = out.data;
    job.held[0] = job.extents[0] = 1;
    for (int axis = 0; axis < in.shape.ndim(); ++axis) {
      int last = job.ndim - 1;
      const bool joins = in.shape[axis] == out.shape[axis] || job.extents[last] == 1;
      if (!joins) last = job.ndim++;
      job.held[last] = (joins ? job.held[last] : 1) * in.shape[axis];
      job.extents[last] = (joins ? job.extents[last] : 1) * out.shape[axis];
    }
    dispatch_all(in.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T value = convert_sat<T>(fill_value);
      for (size_t at = 0; at < sizeof(job.fill); at += sizeof(T)) std::memcpy(job.fill + at, &value, sizeof(T));
    });
  }

  static void write(const TensorView& in, const TensorView& out, float fill_value) {
    const size_t element = size_of(in.dtype);
    if (in.shape != out.shape)
      dispatch_all(in.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T value = convert_sat<T>(fill_value);
        kernels::fill(out.data, reinterpret_cast<const std::byte*>(&value), element, out.shape.volume());
      });
    kernels::strided_copy(in.shape, element, in.data, kernels::dense_strides(in.shape), out.data,
                          kernels::dense_strides(out.shape));
  }
};

}  // namespace

[[gnu::cold]] void register_pad(Registry& r) {
  r.add<Pad>("pad")
      .doc("Pads at the end of axes: to a shape, to a multiple, or else to the largest sample of the batch.")
      .kind(OpKind::kBatch)
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "The padded tensor; never smaller than the input.")
      .arg("fill_value", &PadArgs::fill_value, "Value of the padding.", kPerSample)
      .arg("axes", &PadArgs::axes, "Axes to pad; all when not given. Excludes `axis_names`.", kPerSample)
      .arg("axis_names", &PadArgs::axis_names, "Letters of the axes to pad. Excludes `axes`.")
      .arg("align", &PadArgs::align, "Extents become multiples of this; one value, or one a padded axis.", kPerSample)
      .arg("shape", &PadArgs::shape,
           "Least extents, one value or one a padded axis; where not positive, the largest of the batch.", kPerSample)
      .differs("`fill_value` is rounded and kept in range; DALI cuts fractions off and wraps.");
}

}  // namespace penstock

#include "ops/base/separable.h"

#include <algorithm>

#include "kernels/convert/convert.h"

namespace penstock {
namespace {

bool is_data(char letter) { return letter != 'F' && letter != 'C'; }

/// Types that lines are convolved from and to; others go through FLOAT.
DType line_type(DType dtype) {
  const bool direct = dtype == DType::kUInt8 || dtype == DType::kInt16 || dtype == DType::kUInt16;
  return direct ? dtype : DType::kFloat;
}

/// Where the data axes lie among z, y and x: the last of them is x.
size_t place_of(const DataAxes& axes, int axis) { return static_cast<size_t>(3 - axes.count + axis); }

kernels::ConvolveAxes described(const SeparableState& state, const Windows& windows, const TensorDesc& desc,
                                const Region& held, const Region& wanted) {
  kernels::ConvolveAxes axes;
  for (int i = 0; i < state.axes.count; ++i) {
    const int at = state.axes.first + i;
    const int64_t extent = desc.shape[at];
    kernels::ConvolveAxis& axis = axes[place_of(state.axes, i)];
    axis.extent = extent;
    axis.held = {held.begin(at), held.end(at)};
    axis.wanted = {wanted.begin(at), wanted.end(at)};
    if (const auto& window = windows[static_cast<size_t>(i)]; !window.empty()) axis.window = window;
  }
  return axes;
}

/// Of the widest window along a data axis.
int64_t radius_along(const SeparableState& state, int axis) {
  int64_t radius = 0;
  for (const Windows& windows : state.terms)
    radius = std::max(radius, static_cast<int64_t>(windows[static_cast<size_t>(axis)].size() / 2));
  return radius;
}

kernels::ConvolveJobAxis on_gpu(const std::vector<kernels::ConvolveAxes>& terms, size_t axis,
                                device::Staging& staging) {
  const auto narrow = [](int64_t x) { return static_cast<int32_t>(x); };
  const kernels::ConvolveAxis& first = terms[0][axis];
  kernels::ConvolveJobAxis made{.extent = narrow(first.extent),
                                .held_begin = narrow(first.held.begin),
                                .held = narrow(first.held.size()),
                                .wanted_begin = narrow(first.wanted.begin),
                                .wanted = narrow(first.wanted.size())};
  for (size_t term = 0; term < terms.size(); ++term) {
    made.taps[term] = static_cast<int32_t>(terms[term][axis].window.size());
    made.weights[term] = staging.put(terms[term][axis].window);
  }
  return made;
}

int64_t elements(const kernels::ConvolveJob& job, int32_t z, int32_t y, int32_t x) {
  return int64_t{job.outer} * z * y * x * job.channels;
}
bool along_z(const kernels::ConvolveJob& job) {
  return job.z.extent > 1 || std::ranges::any_of(job.z.taps, [](int taps) { return taps > 1; });
}
int terms_of(const kernels::ConvolveJob& job) {
  int terms = 0;
  while (terms < kernels::kMostConvolutions && job.x.weights[terms]) ++terms;
  return terms;
}
/// Floats between the passes, see ConvolveJob.
int64_t plane_floats(const kernels::ConvolveJob& job) {
  return along_z(job) ? elements(job, job.z.wanted, job.y.held, job.x.held) : 0;
}
int64_t line_floats(const kernels::ConvolveJob& job) { return elements(job, job.z.wanted, job.y.wanted, job.x.held); }
int64_t sum_floats(const kernels::ConvolveJob& job) {
  return terms_of(job) > 1 ? elements(job, job.z.wanted, job.y.wanted, job.x.wanted) : 0;
}

}  // namespace

void SeparableForm::describe(Sample& s, device::Staging& staging, kernels::ConvolveJob& job) const {
  const SeparableState& state = state_of(s);
  const Value &in = s.in(0), &out = s.out(0);
  PENSTOCK_CHECK(in.tensor.dtype != DType::kBFloat16, TypeError, "bfloat16 is not convolved on a GPU; cast to FLOAT");
  std::vector<kernels::ConvolveAxes> terms;
  for (const Windows& windows : state.terms) terms.push_back(described(state, windows, in.tensor, in.held, out.held));
  job.z = on_gpu(terms, 0, staging);
  job.y = on_gpu(terms, 1, staging);
  job.x = on_gpu(terms, 2, staging);
  job.channels = static_cast<int32_t>(state.axes.channels);
  job.outer =
      cut(out.tensor, out.held).shape.volume() == 0 ? 0 : static_cast<int32_t>(out.held.outer(state.axes.first));
}

size_t SeparableForm::scratch_size(const std::byte* memory) const {
  const auto& job = *reinterpret_cast<const kernels::ConvolveJob*>(memory);
  return static_cast<size_t>(plane_floats(job) + line_floats(job) + sum_floats(job)) * sizeof(float);
}

void SeparableForm::connect(std::byte* memory, const Places& places) const {
  auto& job = *reinterpret_cast<kernels::ConvolveJob*>(memory);
  job.in = places.in[0];
  job.out = places.out;
  job.planes = reinterpret_cast<float*>(places.scratch);
  job.lines = job.planes + plane_floats(job);
  job.sum = job.lines + line_floats(job);
}

void SeparableForm::launch(const device::Launch& launch) const {
  kernels::ConvolveParameters parameters{.convolutions = 1};
  for (int i = 0; i < launch.count; ++i) {
    const auto& job = reinterpret_cast<const kernels::ConvolveJob*>(launch.described)[i];
    parameters.convolutions = std::max(parameters.convolutions, terms_of(job));
    parameters.volume = parameters.volume || along_z(job);
    parameters.most_held = std::max(parameters.most_held, elements(job, job.z.held, job.y.held, job.x.held));
  }
  launch.start(kernels::kConvolve, parameters);
}

DataAxes::DataAxes(const TensorDesc& desc) {
  const int ndim = desc.shape.ndim();
  const auto is_data_axis = [&](int axis) { return desc.layout.empty() || is_data(desc.layout[axis]); };
  while (first < ndim && !is_data_axis(first)) outer *= desc.shape[first++];
  while (first + count < ndim && is_data_axis(first + count)) ++count;
  for (int axis = first + count; axis < ndim; ++axis) {
    PENSTOCK_CHECK(!is_data_axis(axis), ArgumentError,
                   "channels and frames may lie before or behind the other axes, not between them as in layout \"{}\"",
                   desc.layout.view());
    channels *= desc.shape[axis];
  }
  PENSTOCK_CHECK(count >= 1 && count <= 3, ArgumentError,
                 "one to three axes besides channels and frames are convolved, got {} (shape {}, layout \"{}\")", count,
                 to_string(desc.shape), desc.layout.view());
}

DType convolved_type(const std::optional<DType>& dtype, DType input) {
  PENSTOCK_CHECK(input != DType::kBool, TypeError, "Unsupported data type: {}", name_of(input));
  PENSTOCK_CHECK(!dtype || *dtype == input || *dtype == DType::kFloat, ArgumentError,
                 "`dtype` must be the input's type ({}) or float, got {}", name_of(input), name_of(*dtype));
  return dtype.value_or(input);
}

Region convolved_need(const SeparableState& state, const TensorDesc& desc, const Region& wanted) {
  if (wanted.empty()) return {};
  Region needed = whole(desc);
  for (int at = 0; at < state.axes.first; ++at) needed.set(at, wanted.begin(at), wanted.end(at));
  for (int i = 0; i < state.axes.count; ++i) {
    const int at = state.axes.first + i;
    const kernels::Range read =
        kernels::reached({wanted.begin(at), wanted.end(at)}, radius_along(state, i), desc.shape[at]);
    needed.set(at, read.begin, read.end);
  }
  return needed;
}

void run_convolution(Sample& s, SeparableState& state) {
  const Value& in = s.in(0);
  Value& out = s.out(0);
  const int64_t count = cut(out.tensor, out.held).shape.volume();
  if (count == 0) return;
  const DType from = line_type(in.tensor.dtype), to = line_type(out.tensor.dtype);
  const TensorDesc held = cut(in.tensor, in.held);
  const std::byte* source = in.tensor.data;
  if (from != in.tensor.dtype) {
    auto* floats = s.scratch_array<float>(static_cast<size_t>(held.shape.volume()));
    kernels::convert(in.tensor.dtype, source, from, reinterpret_cast<std::byte*>(floats), held.shape.volume());
    source = reinterpret_cast<const std::byte*>(floats);
  }
  std::byte* made = to == out.tensor.dtype
                        ? out.tensor.data
                        : reinterpret_cast<std::byte*>(s.scratch_array<float>(static_cast<size_t>(count)));
  const int64_t images = out.held.outer(state.axes.first);
  const auto in_bytes = held.shape.volume() / images * static_cast<int64_t>(size_of(from));
  const auto out_bytes = count / images * static_cast<int64_t>(size_of(to));
  std::vector<kernels::ConvolveAxes> terms;
  for (const Windows& windows : state.terms) terms.push_back(described(state, windows, in.tensor, in.held, out.held));
  for (int64_t i = 0; i < images; ++i) {
    const std::byte* image = source + i * in_bytes;
    if (terms.size() == 1) {
      state.convolution.run(from, image, terms[0], state.axes.channels, to, made + i * out_bytes);
      continue;
    }
    state.convolution.begin(terms[0], state.axes.channels);
    for (const kernels::ConvolveAxes& axes : terms) state.convolution.add(from, image, axes);
    state.convolution.store(to, made + i * out_bytes);
  }
  if (made != out.tensor.data) kernels::convert(to, made, out.tensor.dtype, out.tensor.data, count);
}

}  // namespace penstock

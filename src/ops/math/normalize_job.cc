#include "ops/math/normalize_job.h"

#include <algorithm>

#include "core/check.h"
#include "kernels/statistics/job.h"

namespace penstock {
namespace {

constexpr size_t kMean = 1, kInverse = 2;  // operands

/// Adds an axis, joined to the last one where both step as one.
void add_axis(kernels::StatisticsAxes& axes, int64_t extent, int64_t stride) {
  PENSTOCK_CHECK(extent <= INT32_MAX && stride <= INT32_MAX, ArgumentError,
                 "on a GPU a sample may have 2^31 elements, not more");
  if (extent == 1) return;
  const int last = axes.ndim - 1;
  if (last >= 0 && axes.strides[last] == stride * extent) {
    axes.extents[last] *= static_cast<int32_t>(extent);
    axes.strides[last] = static_cast<int32_t>(stride);
    return;
  }
  axes.extents[axes.ndim] = static_cast<int32_t>(extent);
  axes.strides[axes.ndim++] = static_cast<int32_t>(stride);
}

}  // namespace

kernels::StatisticsJob statistics_job(const TensorDesc& input, const AxisList& reduced) {
  kernels::StatisticsJob job;
  job.dtype = input.dtype;
  const kernels::Strides strides = kernels::dense_strides(input.shape);
  for (int axis = 0; axis < input.shape.ndim(); ++axis) {
    const bool kept = !reduced.has(axis);
    add_axis(kept ? job.kept : job.reduced, input.shape[axis], strides[static_cast<size_t>(axis)]);
    (kept ? job.groups : job.size) *= input.shape[axis];
  }
  job.parts = kernels::statistics_parts(job.size);
  return job;
}

void normalize_elements(ElementWork& work, uint8_t input, const TensorDesc& desc, const AxisList& reduced,
                        float shift) {
  Shape groups = desc.shape;
  for (int axis : reduced) groups[axis] = 1;
  const ElementView view = ElementView::broadcast(groups, desc.shape);
  work.load(input);
  const uint8_t mean = work.table(nullptr, DType::kFloat, groups, view);
  const uint8_t inverse = work.table(nullptr, DType::kFloat, groups, view);
  work.convert(DType::kFloat);
  work.apply(kernels::Code::kSub, DType::kFloat, mean, DType::kFloat);
  work.apply(kernels::Code::kMul, DType::kFloat, inverse, DType::kFloat);
  work.apply(kernels::Code::kAdd, shift);
  work.convert(work.dtype());
}

size_t statistics_size(const kernels::StatisticsJob& job) {
  const size_t missing = (job.mean_given ? 0 : 1) + (job.inverse_given ? 0 : 1);
  const size_t parts = missing > 0 ? static_cast<size_t>(job.parts) : 0;
  return static_cast<size_t>(job.groups) * (parts * sizeof(kernels::StatisticsPart) + missing * sizeof(float));
}

void connect_normalize(NormalizeJob& job, const device::GpuForm::Places& places, const NormalizeJob& first) {
  connect_elements(job.elements, places);
  kernels::StatisticsJob& statistics = job.statistics;
  statistics.in = job.elements.operand[0].data;
  statistics.found = reinterpret_cast<kernels::StatisticsPart*>(places.scratch);
  const bool given = statistics.mean_given && statistics.inverse_given;
  auto* scratch = reinterpret_cast<float*>(statistics.found + (given ? 0 : statistics.groups * statistics.parts));
  if (!statistics.mean_given) {
    statistics.mean = scratch;
    scratch += statistics.groups;
  }
  if (!statistics.inverse_given) statistics.inverse = scratch;
  statistics.mean = first.statistics.mean;
  statistics.inverse = first.statistics.inverse;
  job.elements.operand[kMean].data = reinterpret_cast<const std::byte*>(statistics.mean);
  job.elements.operand[kInverse].data = reinterpret_cast<const std::byte*>(statistics.inverse);
}

void NormalizeKernels::launch(device::Stream stream, std::span<const NormalizeJob> described, const NormalizeJob* jobs,
                              int together, int64_t most_elements) const {
  const auto count = static_cast<int>(described.size());
  kernels::ElementParameters parameters{.machine = kernels::ElementMachine::kPixels, .line = true};
  for (const NormalizeJob& job : described) suit(parameters, job.elements);
  const auto part = [jobs](size_t offset) { return reinterpret_cast<const std::byte*>(jobs) + offset; };
  const size_t to_statistics = offsetof(NormalizeJob, statistics), to_elements = offsetof(NormalizeJob, elements);
  statistics({.stream = stream,
              .jobs = reinterpret_cast<const kernels::StatisticsJob*>(part(to_statistics)),
              .count = count,
              .most_elements = most_elements,
              .parameters = {.together = together},
              .stride = sizeof(NormalizeJob)});
  elements({.stream = stream,
            .jobs = reinterpret_cast<const kernels::ElementJob*>(part(to_elements)),
            .count = count,
            .most_elements = most_elements,
            .parameters = parameters,
            .stride = sizeof(NormalizeJob)});
}

NormalizedBatch::NormalizedBatch(device::Device& device, device::Stream stream, std::span<const TensorDesc> made)
    : device_(device), stream_(stream), memory_(device, stream), staging_(memory_) {
  output_ = allocate_batch(made, [&](size_t bytes) { return block_ = device.memory().allocate(bytes, stream); });
  place_ = staging_.take(made.size() * sizeof(NormalizeJob));
}

void NormalizedBatch::add(const TensorView& input, const kernels::StatisticsJob& statistics, const AxisList& reduced,
                          float shift) {
  auto& job = *new (place_.host + static_cast<size_t>(count_) * sizeof(NormalizeJob)) NormalizeJob;
  job.statistics = statistics;
  scratch_.push_back(device_.memory().allocate(std::max<size_t>(statistics_size(statistics), 1), stream_));
  ElementWork work;
  work.begin(output_[count_]);
  const ElementView view = ElementView::broadcast(input.shape, input.shape);
  normalize_elements(work, work.table(input.data, input.dtype, input.shape, view), input, reduced, shift);
  work.write(staging_, {}, job.elements);
  connect_normalize(job, {.out = output_[count_++].data, .scratch = scratch_.back().data},
                    *reinterpret_cast<const NormalizeJob*>(place_.host));
  most_ = std::max(most_, work.shape().volume());
}

TensorList NormalizedBatch::launch() {
  memory_.upload();
  const NormalizeKernels kernels{device_.kernel(kernels::kStatistics), device_.kernel(kernels::kElements)};
  kernels.launch(stream_, described(), reinterpret_cast<const NormalizeJob*>(place_.device), count_, most_);
  for (const Buffer& scratch : scratch_) device::block_of(scratch).written_on(stream_);
  device::block_of(block_).written_on(stream_);
  return std::move(output_);
}

}  // namespace penstock

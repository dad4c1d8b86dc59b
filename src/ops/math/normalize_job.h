// `normalize` on a GPU: a launch that finds the statistics of each group, then a program that applies them.
#pragma once

#include "kernels/statistics/job.h"
#include "ops/axes.h"
#include "ops/batch_output.h"
#include "ops/elements/element_form.h"

namespace penstock {

struct NormalizeJob {
  kernels::StatisticsJob statistics;
  kernels::ElementJob elements;  ///< operands: the input, a mean and a factor for each group
};

/// Everything but arguments and places.
kernels::StatisticsJob statistics_job(const TensorDesc& input, const AxisList& reduced);
/// (in - mean) * factor + shift.
void normalize_elements(ElementWork& work, uint8_t input, const TensorDesc& desc, const AxisList& reduced, float shift);
/// Bytes for means and factors that are not given, and for what they are found from.
size_t statistics_size(const kernels::StatisticsJob& job);
/// @param first the job whose means and factors this one shares, or itself
void connect_normalize(NormalizeJob& job, const device::GpuForm::Places& places, const NormalizeJob& first);

/// The kernels of a GPU that do it.
struct NormalizeKernels {
  static std::vector<std::string_view> names() { return {kernels::kStatistics.name, kernels::kElements.name}; }
  device::FoundKernel<kernels::StatisticsJob, kernels::StatisticsParameters> statistics;
  device::FoundKernel<kernels::ElementJob, kernels::ElementParameters> elements;

  /// @param jobs      those that are described, on the GPU
  /// @param together  so many of them each share their statistics
  void launch(device::Stream stream, std::span<const NormalizeJob> described, const NormalizeJob* jobs, int together,
              int64_t most_elements) const;
};

/// A batch whose samples share their statistics.
class NormalizedBatch {
 public:
  NormalizedBatch(device::Device& device, device::Stream stream, std::span<const TensorDesc> made);
  device::Staging& staging() { return staging_; }
  /// The next sample.
  void add(const TensorView& input, const kernels::StatisticsJob& statistics, const AxisList& reduced, float shift);
  TensorList launch();

 private:
  std::span<const NormalizeJob> described() const {
    return {reinterpret_cast<const NormalizeJob*>(place_.host), static_cast<size_t>(count_)};
  }

  device::Device& device_;
  const device::Stream stream_;
  device::StagingMemory memory_;
  device::Staging staging_;
  Buffer block_;
  std::vector<Buffer> scratch_;
  TensorList output_;
  device::StagingPlace place_;
  int count_ = 0;
  int64_t most_ = 0;
};

}  // namespace penstock

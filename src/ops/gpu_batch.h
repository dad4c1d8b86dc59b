// Jobs for a whole batch at once: what batch operators launch on a GPU.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "device/device.h"
#include "device/staging.h"
#include "ops/batch_output.h"

namespace penstock {

/// One job for each tensor that is made.
template <class Job>
class GpuBatch {
 public:
  /// Takes memory for a batch of these tensors.
  GpuBatch(device::Device& device, device::Stream stream, std::span<const TensorDesc> made)
      : device_(device), stream_(stream), memory_(device, stream), staging_(memory_) {
    output_ = allocate_batch(made, [&](size_t bytes) { return block_ = device.memory().allocate(bytes, stream); });
    place_ = staging_.take(made.size() * sizeof(Job));
  }
  const TensorList& output() const { return output_; }
  device::Staging& staging() { return staging_; }

  /// The job of the next tensor, to be filled in, and how many elements it has as its kernel counts them.
  Job& add(int64_t elements) {
    most_ = std::max(most_, elements);
    return *new (place_.host + static_cast<size_t>(count_++) * sizeof(Job)) Job;
  }

  /// Launches the kernel on all of them.
  template <class Parameters>
  TensorList launch(const device::Kernel<Job, Parameters>& kernel,
                    const std::type_identity_t<Parameters>& parameters = {}) {
    if (count_ == 0) return std::move(output_);
    memory_.upload();
    device_.kernel(kernel)({.stream = stream_,
                            .jobs = reinterpret_cast<const Job*>(place_.device),
                            .count = count_,
                            .most_elements = most_,
                            .parameters = parameters});
    device::block_of(block_).written_on(stream_);
    return std::move(output_);
  }

 private:
  device::Device& device_;
  const device::Stream stream_;
  device::StagingMemory memory_;
  device::Staging staging_;
  Buffer block_;
  TensorList output_;
  device::StagingPlace place_;
  int count_ = 0;
  int64_t most_ = 0;
};

}  // namespace penstock

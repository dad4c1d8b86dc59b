// Programs for a whole batch at once: what batch operators start on a GPU.
#pragma once

#include <span>
#include <vector>

#include "device/device.h"
#include "ops/elements/element_work.h"

namespace penstock {

class ElementBatch {
 public:
  /// Takes memory for a batch of these tensors.
  ElementBatch(device::Device& device, device::Stream stream, std::span<const TensorDesc> made);
  const TensorList& output() const { return output_; }
  device::Staging& staging() { return staging_; }
  /// The program of the next sample; its operands are tables.
  void add(const ElementWork& work);
  /// Starts all of them.
  TensorList launch();

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

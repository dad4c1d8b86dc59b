// Programs for a whole batch at once: what batch operators start on a GPU.
#pragma once

#include <span>

#include "ops/elements/element_work.h"
#include "ops/gpu_batch.h"

namespace penstock {

class ElementBatch {
 public:
  /// Takes memory for a batch of these tensors.
  ElementBatch(device::Device& device, device::Stream stream, std::span<const TensorDesc> made)
      : batch_(device, stream, made) {}
  const TensorList& output() const { return batch_.output(); }
  /// The program of the next sample; its operands are tables.
  void add(const ElementWork& work) {
    kernels::ElementJob& job = batch_.add(work.shape().volume());
    work.write(batch_.staging(), {}, job);
    job.out = batch_.output()[count_++].data;
  }
  /// Starts all of them.
  TensorList launch() { return batch_.launch(kernels::kElements); }

 private:
  GpuBatch<kernels::ElementJob> batch_;
  int64_t count_ = 0;
};

}  // namespace penstock

#include "ops/elements/element_batch.h"

#include <algorithm>

#include "ops/batch_output.h"

namespace penstock {

ElementBatch::ElementBatch(device::Device& device, device::Stream stream, std::span<const TensorDesc> made)
    : device_(device), stream_(stream), memory_(device, stream), staging_(memory_) {
  output_ = allocate_batch(made, [&](size_t bytes) { return block_ = device.memory().allocate(bytes, stream); });
  place_ = staging_.take(made.size() * sizeof(kernels::ElementJob));
}

void ElementBatch::add(const ElementWork& work) {
  auto& job = *new (place_.host + static_cast<size_t>(count_) * sizeof(kernels::ElementJob)) kernels::ElementJob;
  work.write(staging_, {}, job);
  job.out = output_[count_++].data;
  most_ = std::max(most_, work.shape().volume());
}

TensorList ElementBatch::launch() {
  if (count_ == 0) return std::move(output_);
  memory_.upload();
  device_.kernel(kernels::kElements)({.stream = stream_,
                                      .jobs = reinterpret_cast<const kernels::ElementJob*>(place_.device),
                                      .count = count_,
                                      .most_elements = most_});
  device::block_of(block_).written_on(stream_);
  return std::move(output_);
}

}  // namespace penstock

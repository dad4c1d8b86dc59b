#include <penstock/gpu.h>

#include "device/transfer.h"

namespace penstock {

int gpu_count() { return device::count(); }
std::string why_no_gpu() { return device::why_none(); }

void read_on(const TensorList& batch, void* cuda_stream) {
  if (batch.device() == kHostMemory) return;
  for (const Buffer& block : batch.blocks()) device::block_of(block).read_on(cuda_stream);
}

TensorList side_by_side(const TensorList& batch) {
  if (batch.device() == kHostMemory || batch.contiguous()) return batch;
  device::Device& device = device::Device::open(batch.device());
  const std::shared_ptr<void> stream = device.borrow_stream();
  return device::packed(batch, device, stream.get());
}

TensorList to_host(const TensorList& batch) {
  return batch.device() == kHostMemory ? batch : device::downloaded(batch);
}

}  // namespace penstock

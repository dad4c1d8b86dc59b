#include "parallel/memory.h"

#include "core/host_pool.h"
#include "device/transfer.h"

namespace penstock::parallel {

Tensor allocate(const Lane& lane, const TensorDesc& desc) {
  Tensor tensor{.buffer = lane.gpu ? lane.gpu->memory().allocate(desc.nbytes(), lane.stream.get())
                                   : HostPool::process()->allocate(desc.nbytes())};
  tensor.view = {desc, tensor.buffer.data};
  return tensor;
}

void reading(const Tensor& tensor, const Lane& lane) {
  device::Block* block = device::pool_block(tensor.buffer);
  if (block && lane.gpu) block->read_on(lane.stream.get());
  if (block && !lane.gpu) block->synchronize();
}

void written(const Tensor& tensor, const Lane& lane) {
  device::Block* block = device::pool_block(tensor.buffer);
  if (block && lane.gpu) block->written_on(lane.stream.get());
}

bool is_foreign(const Tensor& tensor) {
  const bool copied_later = tensor.buffer.pinned || tensor.buffer.device != kHostMemory;
  return copied_later && !device::pool_block(tensor.buffer);
}

Tensor placed(const Tensor& tensor, const Lane& lane) {
  if (tensor.buffer.device == lane.id.memory()) {
    reading(tensor, lane);
    return tensor;
  }
  if (!lane.gpu) return device::downloaded(TensorList({tensor})).at(0);
  Tensor copy = allocate(lane, tensor.view);
  copy.source = tensor.source;
  reading(tensor, lane);
  if (const size_t bytes = tensor.view.nbytes())
    lane.gpu->runtime().copy(lane.stream.get(), copy.view.data, tensor.view.data, bytes);
  written(copy, lane);
  if (is_foreign(tensor)) synchronize(lane);
  return copy;
}

}  // namespace penstock::parallel

#include "ops/batch_output.h"

#include "core/host_pool.h"

namespace penstock {

TensorList allocate_batch(std::span<const TensorDesc> descs, const std::function<Buffer(size_t bytes)>& allocate) {
  if (descs.empty()) return {};
  size_t bytes = 0;
  bool uniform = true;
  for (const TensorDesc& desc : descs) {
    bytes += desc.nbytes();
    uniform = uniform && desc == descs[0];
  }
  const Buffer block = allocate ? allocate(bytes) : HostPool::process()->allocate(bytes);
  if (uniform) return TensorList(block, static_cast<int64_t>(descs.size()), descs[0]);
  std::vector<Tensor> tensors;
  std::byte* next = block.data;
  for (const TensorDesc& desc : descs) {
    tensors.push_back({{block.owner, next, desc.nbytes(), block.device, block.pinned}, {desc, next}, {}});
    next += desc.nbytes();
  }
  return TensorList(std::move(tensors));
}

}  // namespace penstock

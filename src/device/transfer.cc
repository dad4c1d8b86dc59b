#include "device/transfer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "core/host_pool.h"
#include "device/staging.h"

namespace penstock::device {
namespace {

/// A list of the same shapes with its samples side by side in `block`; uniform lists become one tensor.
TensorList laid_out(const TensorList& like, const Buffer& block) {
  TensorList list;
  if (like.size() && like.uniform()) {
    list = TensorList(block, like.size(), like[0]);
  } else {
    std::vector<Tensor> tensors;
    std::byte* next = block.data;
    for (int64_t i = 0; i < like.size(); ++i) {
      TensorView view = like[i];
      view.data = next;
      next += view.nbytes();
      tensors.push_back({block, view, {}});
    }
    list = TensorList(std::move(tensors));
  }
  list.set_sources(like.sources());
  return list;
}

size_t bytes_of(const TensorList& list) {
  size_t sum = 0;
  for (int64_t i = 0; i < list.size(); ++i) sum += list[i].nbytes();
  return sum;
}

/// The list itself where the pool knows which work reads it, else a copy in pinned memory. Another library may have
/// pinned ordinary memory: then CUDA copies from it asynchronously, when the list may be gone.
TensorList in_pinned_memory(const TensorList& list, Device& device) {
  if (std::ranges::all_of(list.blocks(), &Buffer::pinned)) return list;
  TensorList result = laid_out(list, device.pinned().allocate(bytes_of(list), nullptr));
  for (int64_t i = 0; i < list.size(); ++i)
    if (list[i].nbytes()) std::memcpy(result[i].data, list[i].data, list[i].nbytes());
  return result;
}

void copy(const TensorList& from, const TensorList& to, Runtime& runtime, Stream stream) {
  if (from.contiguous()) {
    if (from.size()) runtime.copy(stream, to[0].data, from[0].data, bytes_of(from));
    return;
  }
  for (int64_t i = 0; i < from.size(); ++i)
    if (from[i].nbytes()) runtime.copy(stream, to[i].data, from[i].data, from[i].nbytes());
}

}  // namespace

TensorList uploaded(const TensorList& list, Device& device, Stream stream) {
  const TensorList from = in_pinned_memory(list, device);
  const Buffer block = device.memory().allocate(bytes_of(list), stream);
  TensorList result = laid_out(list, block);
  copy(from, result, device.runtime(), stream);
  block_of(block).written_on(stream);
  for (const Buffer& source : from.blocks()) block_of(source).read_on(stream);
  return result;
}

TensorList packed(const TensorList& list, Device& device, Stream stream) {
  const Buffer block = device.memory().allocate(bytes_of(list), stream);
  TensorList result = laid_out(list, block);
  std::vector<CopyJob> jobs;
  size_t most = 0;
  for (const Buffer& source : list.blocks()) block_of(source).read_on(stream);
  for (int64_t i = 0; i < list.size(); ++i) {
    jobs.push_back({.from = list[i].data, .to = result[i].data, .bytes = list[i].nbytes()});
    most = std::max(most, list[i].nbytes());
  }
  StagingMemory memory(device, stream);
  const CopyJob* const there = Staging(memory).put(std::span<const CopyJob>(jobs));
  memory.upload();
  device.copy_kernel()({.stream = stream,
                        .jobs = there,
                        .count = static_cast<int>(jobs.size()),
                        .most_elements = static_cast<int64_t>(most)});
  block_of(block).written_on(stream);
  return result;
}

void copy_out(const TensorList& list, void* to, Stream stream) {
  if (!list.size()) return;
  Device& device = Device::open(list.device());
  for (const Buffer& source : list.blocks())
    if (Block* block = pool_block(source)) block->read_on(stream);
  auto* next = static_cast<std::byte*>(to);
  for (int64_t i = 0; i < list.size(); ++i) {
    device.runtime().copy(stream, next, list[i].data, list[i].nbytes());
    next += list[i].nbytes();
  }
}

TensorList downloaded(const TensorList& list) {
  const Buffer block = HostPool::process()->allocate(bytes_of(list));
  TensorList result = laid_out(list, block);
  if (!list.size()) return result;
  Device& device = Device::open(list.device());
  const std::shared_ptr<void> stream = device.borrow_stream();
  for (const Buffer& source : list.blocks())
    if (Block* block = pool_block(source)) block->read_on(stream.get());
  copy(list, result, device.runtime(), stream.get());
  device.finish(stream.get());
  return result;
}

}  // namespace penstock::device

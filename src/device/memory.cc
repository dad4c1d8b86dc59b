#include <penstock/memory.h>

#include "core/host_pool.h"
#include "device/device.h"

namespace penstock {
namespace {

template <class Pool>
MemoryUse use_of(const Pool& pool) {
  return {.in_use = pool.in_use(), .idle = pool.idle(), .limit = pool.limit()};
}

}  // namespace

MemoryUse memory_use(int device) {
  return device == kHostMemory ? use_of(*HostPool::process()) : use_of(device::Device::open(device).memory());
}

void set_memory_limit(size_t bytes, int device) {
  if (device == kHostMemory) return HostPool::process()->set_limit(bytes);
  device::Device::open(device).memory().set_limit(bytes);
}

void release_unused_memory() {
  HostPool::process()->trim();
  device::Device::for_each_open([](device::Device& gpu) {
    gpu.memory().trim();
    gpu.pinned().trim();
  });
}

}  // namespace penstock

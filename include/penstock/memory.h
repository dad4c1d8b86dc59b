/// @file
/// Memory that batches of all pipelines of this process share.
#pragma once

#include <cstddef>

#include <penstock/tensor.h>

namespace penstock {

/// Bytes of the pools that batches are made in.
struct MemoryUse {
  size_t in_use = 0;  ///< bytes that batches hold, finished ones and those in the making
  size_t idle = 0;    ///< bytes that are kept for the next ones
  size_t limit = 0;   ///< of both together; 0: none
};

/// Of the host, or of the GPU of that number. @throws ArgumentError when there is no such GPU
MemoryUse memory_use(int device = kHostMemory);

/// Batches may hold so many bytes at a time, idle ones included; 0 means no limit. A batch that would pass it fails
/// with OutOfMemory; the pipeline goes on when others have been let go. Pinned memory, from which GPUs copy, is not
/// counted.
/// @throws ArgumentError when there is no such GPU
void set_memory_limit(size_t bytes, int device = kHostMemory);

/// Gives idle memory of the host and of all GPUs in use back to the system. Waits for GPUs.
void release_unused_memory();

}  // namespace penstock

// Copies that are described by data: of the runtime (copy_many), and of the kernel that copies within a GPU's memory.
#pragma once

#include <cstddef>

#include "device/kernel.h"

namespace penstock::device {

struct CopyJob {
  const void* from = nullptr;
  void* to = nullptr;
  size_t bytes = 0;
};

/// Copies within the GPU's memory; `most_elements` are bytes.
inline constexpr Kernel<CopyJob> kCopy{"copy"};

}  // namespace penstock::device

// Whole batches from one memory to another.
#pragma once

#include <penstock/tensor.h>

#include "device/device.h"

namespace penstock::device {

/// A copy in the GPU's memory, ready when the stream is. The host list may be gone by then: what lies in the pool's
/// pinned memory is kept, from other memory the host copies it there.
TensorList uploaded(const TensorList& list, Device& device, Stream stream);

/// A copy in the same GPU's memory with the samples side by side, ready when the stream is.
TensorList packed(const TensorList& list, Device& device, Stream stream);

/// Copies the samples, one after the other, to an address in any memory that the GPU reaches; done when the stream is.
void copy_out(const TensorList& list, void* to, Stream stream);

/// A copy in host memory. The host waits for it.
TensorList downloaded(const TensorList& list);

}  // namespace penstock::device

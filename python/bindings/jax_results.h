// What programs of JAX get of the engine. For files that have XLA's headers.
#pragma once

#include <cstdint>
#include <functional>

#include <nanobind/nanobind.h>
#include <xla/ffi/api/ffi.h>

#include <penstock/tensor.h>

#include "device/device.h"

namespace penstock::bindings {

namespace ffi = xla::ffi;

using Copy = std::function<void(void* to, const std::byte* from, size_t bytes, const Buffer& block)>;

/// Calls the function of the program with that number, on `given`: it gives one batch for each result, or an empty list
/// that leaves it as it is.
void pull(int64_t function, Tensor given, ffi::RemainingRets results, const Copy& copy);
/// Copies in the order of the program's stream: the host does not wait, and the next writer knows what has been read.
Copy on_stream(device::Device& gpu, void* stream);
/// What `work` throws, as XLA has errors.
ffi::Error reported(const std::function<void()>& work);

template <class Handler>
nanobind::capsule capsule_of(Handler* handler) {
  return nanobind::capsule(reinterpret_cast<void*>(handler));
}

}  // namespace penstock::bindings

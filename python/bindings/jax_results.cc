#include "jax_results.h"

#include <cstring>
#include <utility>

#include "core/check.h"
#include "ops/host/callback.h"

namespace penstock::bindings {

void pull(int64_t function, Tensor given, ffi::RemainingRets results, const Copy& copy) {
  const TensorList input({std::move(given)});
  BatchContext batch;
  batch.inputs.push_back(&input);
  (*find_callback(function))(batch);
  PENSTOCK_CHECK(batch.outputs.size() == results.size(), DataError, "there are {} results, the program takes {}",
                 batch.outputs.size(), results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorList& list = batch.outputs[i];
    if (list.dtype() == DType::kNone) continue;
    const ffi::AnyBuffer to = *results.get<ffi::AnyBuffer>(i).value();
    size_t bytes = 0;
    for (int64_t s = 0; s < list.size(); ++s) bytes += list[s].nbytes();
    PENSTOCK_CHECK(bytes == to.size_bytes(), DataError, "result {} has {} bytes, the compiled program takes {}", i,
                   bytes, to.size_bytes());
    auto* out = static_cast<std::byte*>(to.untyped_data());
    if (list.contiguous()) {
      if (bytes) copy(out, list[0].data, bytes, list.at(0).buffer);
      continue;
    }
    for (int64_t s = 0; s < list.size(); out += list[s++].nbytes())
      if (list[s].nbytes()) copy(out, list[s].data, list[s].nbytes(), list.at(s).buffer);
  }
}

Copy on_stream(device::Device& gpu, void* stream) {
  return [&gpu, stream](void* to, const std::byte* from, size_t bytes, const Buffer& block) {
    if (block.device != kHostMemory || block.pinned) {
      device::block_of(block).read_on(stream);
      return gpu.runtime().copy(stream, to, from, bytes);
    }
    // Another library may have pinned the memory: then the copy would begin when the batch is gone.
    const Buffer own = gpu.pinned().allocate(bytes, stream);
    std::memcpy(own.data, from, bytes);
    device::block_of(own).read_on(stream);
    gpu.runtime().copy(stream, to, own.data, bytes);
  };
}

ffi::Error reported(const std::function<void()>& work) {
  try {
    work();
    return ffi::Error::Success();
  } catch (const std::exception& e) {
    return ffi::Error::Internal(e.what());
  }
}

}  // namespace penstock::bindings

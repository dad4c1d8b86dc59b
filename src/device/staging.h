// What the host has for the GPU in one batch: pixels, tables, jobs. Everybody takes a place, writes to its pinned side,
// and one copy a chunk brings all of it over.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "device/device.h"
#include "device/outside_work.h"

namespace penstock::device {

class Staging {
 public:
  Staging(Device& device, Stream stream) : device_(device), stream_(stream) {}

  struct Place {
    std::byte* host = nullptr;
    std::byte* device = nullptr;
  };
  /// Room for `bytes`, aligned to 64. From any thread.
  Place take(size_t bytes);
  /// A copy of `values` for the GPU.
  template <class T>
  const T* put(std::span<const T> values) {
    const Place place = take(values.size_bytes());
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(place.host));
    return reinterpret_cast<const T*>(place.device);
  }
  /// Keeps a block of GPU memory until the batch has read it.
  void keep(Buffer block);
  /// What others do for the batch.
  OutsideWork& outside() { return outside_; }
  Device& device() { return device_; }
  /// Queues the copies. After this nobody may take or write.
  void upload();
  size_t bytes() const;

 private:
  struct Chunk {
    Buffer host, device;
    size_t used = 0;
  };
  Device& device_;
  const Stream stream_;
  mutable std::mutex mutex_;
  std::vector<Chunk> chunks_;
  std::vector<Buffer> kept_;
  OutsideWork outside_;
};

}  // namespace penstock::device

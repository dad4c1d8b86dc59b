// What the host has for the GPU in one batch: pixels, tables, jobs. Everybody takes a place, writes to its pinned side,
// and one copy a chunk brings all of it over.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "device/device.h"
#include "device/outside_work.h"

namespace penstock::device {

/// How much batches stage. It changes seldom: pinned memory of another size takes 10 ms to get.
class StagedBytes {
 public:
  /// What the next batch is expected to stage.
  size_t expected() const { return expected_; }
  void saw(size_t bytes) {
    const size_t before = expected_;
    if (bytes > before || bytes < before / 2) expected_ = bytes + bytes / 8;
  }

 private:
  std::atomic<size_t> expected_{0};
};

class Staging {
 public:
  /// @param expected bytes: room for so many is taken at once
  Staging(Device& device, Stream stream, size_t expected = 0);

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
  Stream stream() const { return stream_; }
  /// Queues the copies. After this nobody may take or write.
  void upload();
  /// The host has seen that what was queued on the stream is done.
  void done();
  size_t bytes() const;

 private:
  struct Chunk {
    Buffer host, device;
    std::atomic<size_t> taken{0};  // more than there is, once somebody found it full
    size_t used() const { return std::min(taken.load(std::memory_order_relaxed), host.size); }
  };
  std::optional<Place> take_from(Chunk* chunk, size_t bytes) const;
  Device& device_;
  const Stream stream_;
  const size_t first_bytes_;
  mutable std::mutex mutex_;
  std::deque<Chunk> chunks_;
  std::atomic<Chunk*> open_{nullptr};  // the last one
  std::vector<Buffer> kept_;
  OutsideWork outside_;
};

}  // namespace penstock::device

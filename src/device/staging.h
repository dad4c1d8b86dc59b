// What the host has for the GPU in one batch: pixels, tables, jobs. Each thread takes places, writes to their pinned
// side, and one copy a chunk brings all of it over.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
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

/// Of staging memory, as the host and as the GPU have it.
struct StagingPlace {
  std::byte* host = nullptr;
  std::byte* device = nullptr;
};

/// The staging memory of a batch. All methods but upload() and done() may be called from any thread.
class StagingMemory {
 public:
  static constexpr size_t kAlign = 64;
  /// @param expected bytes: room for so many is taken at once
  StagingMemory(Device& device, Stream stream, size_t expected = 0);

  /// Room for `bytes`, aligned.
  StagingPlace take(size_t bytes);
  /// Keeps a block of GPU memory until the batch has read it.
  void keep(Buffer block);
  /// What others do for the batch.
  OutsideWork& outside() { return outside_; }
  Device& device() { return device_; }
  Stream stream() const { return stream_; }
  /// Queues the copies, and `others` with them, from where those lie. After this no worker may take or write.
  /// @param begins the GPU has had nothing to do for the batch
  void upload(std::span<const CopyJob> others = {}, bool begins = false);
  /// The host has seen that what was queued on the stream is done.
  void done();
  size_t bytes() const;

 private:
  struct Chunk {
    Buffer host, device;
    alignas(kAlign) std::atomic<size_t> taken{0};  // more than there is, once a worker found it full
    size_t used() const { return std::min(taken.load(std::memory_order_relaxed), host.size); }
  };
  /// Opens another chunk, of which so much is taken. Needs mutex_ once others have the memory.
  void open_chunk(size_t bytes, size_t taken = 0);
  std::optional<StagingPlace> take_from(Chunk* chunk, size_t bytes) const;
  Device& device_;
  const Stream stream_;
  size_t first_bytes_;
  mutable std::mutex mutex_;
  std::deque<Chunk> chunks_;
  std::atomic<Chunk*> open_{nullptr};  // the last one
  std::vector<Buffer> kept_;
  OutsideWork outside_;
};

/// One thread's way to it. Small things lie side by side in a room of the thread's own: a picture has eleven of them,
/// and each time that a thread asks for what all others ask for it waits for the processor's caches.
class Staging {
 public:
  explicit Staging(StagingMemory& memory) : memory_(&memory) {}

  /// Room for `bytes`, aligned as the memory has it.
  StagingPlace take(size_t bytes);
  /// Room for values that the caller writes, and where the GPU finds them.
  template <class T>
  std::pair<std::span<T>, const T*> make(size_t count) {
    const StagingPlace place = take(count * sizeof(T));
    return {{reinterpret_cast<T*>(place.host), count}, reinterpret_cast<const T*>(place.device)};
  }
  /// A copy of `values` for the GPU.
  template <class T>
  const T* put(std::span<const T> values) {
    const auto [host, on_gpu] = make<T>(values.size());
    std::copy(values.begin(), values.end(), host.begin());
    return on_gpu;
  }
  StagingMemory& memory() const { return *memory_; }

 private:
  StagingMemory* memory_;
  StagingPlace room_;  // what is left of it
  size_t left_ = 0;
};

}  // namespace penstock::device

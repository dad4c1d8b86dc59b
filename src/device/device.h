// One GPU of this process, shared by all pipelines that use it: its memory pools and streams.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/numa.h"
#include "device/end_queue.h"
#include "device/engine_queue.h"
#include "device/pool.h"
#include "device/runtime.h"

namespace penstock::device {

/// GPUs that can be used: 0 where the driver, the CUDA half of Penstock or a GPU is missing.
int count();
/// Why count() is 0, for people to read; empty when it is not.
std::string why_none();

class Device {
 public:
  /// The GPU of that number. It stays open to the end of the process, like the driver's own context: holders of
  /// batches may let go of them at any time.
  /// @throws ArgumentError when there is no such GPU
  static Device& open(int id);
  static void for_each_open(const std::function<void(Device&)>& fn);

  /// @param open_engine  null: by open_jpeg_engine()
  explicit Device(int id, std::shared_ptr<Runtime> runtime, OpenJpegEngine open_engine = nullptr);
  int id() const { return id_; }
  Runtime& runtime() { return *runtime_; }
  /// @throws std::runtime_error where this GPU has no such kernel
  template <class Job, class Parameters>
  FoundKernel<Job, Parameters> kernel(const Kernel<Job, Parameters>& kernel) {
    return find(*runtime_, kernel);
  }
  /// The one that every GPU must have.
  const FoundKernel<CopyJob>& copy_kernel() const { return copy_kernel_; }
  const Facts& facts() const { return facts_; }
  /// The memory node that it is near; see core/numa.h.
  int node() const { return node_; }
  /// Device memory and pinned host memory.
  Pool& memory() { return *memory_; }
  Pool& pinned() { return *pinned_; }
  /// Opened when it is first asked for.
  EngineQueue& jpeg_engine();
  /// Likewise started.
  EndQueue& ends();

  /// A stream for one pipeline's work; given back for the next pipeline.
  /// @param multiprocessors see Runtime::make_stream()
  std::shared_ptr<void> borrow_stream(int multiprocessors = 0);
  /// The host waits until all that is queued on the stream by now is done.
  void finish(Stream stream);
  /// While a caller holds the result, released memory is kept for reuse; after that it goes back to the system.
  std::shared_ptr<void> keep_memory();

 private:
  const int id_;
  const std::shared_ptr<Runtime> runtime_;
  const FoundKernel<CopyJob> copy_kernel_;
  const OpenJpegEngine open_engine_;
  const Facts facts_;
  const int node_;
  const std::shared_ptr<Pool> memory_, pinned_;
  std::mutex mutex_;
  std::once_flag engine_opened_, ends_opened_;
  std::unique_ptr<EngineQueue> engine_;
  std::unique_ptr<EndQueue> ends_;
  std::map<int, std::vector<Stream>> idle_streams_;  // by their bound on multiprocessors
  int keepers_ = 0;
};

}  // namespace penstock::device

// What a GPU gives to the rest of the program: memory, streams, events, copies, and kernels by their names. There is no
// word of CUDA in it. The CUDA half is a shared library of its own, loaded when a pipeline first asks for a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "device/copy_job.h"
#include "device/kernel.h"

namespace penstock::device {

using Event = void*;  ///< a cudaEvent_t

struct Facts {
  std::string name;
  size_t memory = 0;  ///< bytes, in all
  int multiprocessors = 0;
  std::string address;  ///< of the PCI device, such as "0000:1b:00.0"
};

/// What ails a GPU, and is the fault of no sample.
class GpuError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A kernel of this process, of whatever library, has broken the GPU's context: no call will work again in this
/// process.
class Lost : public GpuError {
  using GpuError::GpuError;
};
/// CUDA has no memory for what it needs itself: a context, a kernel's code.
class Full : public GpuError {
  using GpuError::GpuError;
};

/// Where memory lies.
enum class Memory : uint8_t {
  kDevice,  ///< on the GPU
  kPinned,  ///< on the host: the GPU copies from there at full speed
};

/// When copies from the host may begin.
enum class Begin : uint8_t {
  kInOrder,      ///< behind what the stream has
  kBehindOthers  ///< also behind what was brought so for other batches: for a batch for which the GPU has had no work
};

/// One GPU. All methods may be called from any thread; they throw std::runtime_error with CUDA's own words, Lost and
/// Full among them, and those that allocate std::bad_alloc when memory is short.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Facts facts() = 0;

  virtual void* allocate(Memory where, size_t bytes) = 0;
  virtual void deallocate(Memory where, void* block) noexcept = 0;
  /// Bytes of device memory that no process holds.
  virtual size_t free_memory() = 0;

  /// Pins host memory that is mapped for reading, in whole pages: copy_many() of all GPUs reads it at full speed.
  /// @return false where that cannot be
  virtual bool pin(const void* memory, size_t bytes) = 0;
  virtual void unpin(const void* memory) noexcept = 0;

  /// @param multiprocessors on which its kernels run, rounded up to what the GPU can divide; 0: all
  virtual Stream make_stream(int multiprocessors) = 0;
  virtual void destroy_stream(Stream stream) noexcept = 0;
  /// One that can be recorded on that stream, which may be another GPU's.
  virtual Event take_event(Stream stream) = 0;
  /// What is queued to wait for it goes on waiting for what it was recorded behind.
  virtual void give_back_event(Event event) noexcept = 0;
  virtual void record(Event event, Stream stream) = 0;
  virtual bool passed(Event event) = 0;
  /// What is queued on `stream` from now on waits for `event`; the host does not.
  virtual void wait(Stream stream, Event event) = 0;
  /// The host waits.
  virtual void synchronize(Event event) = 0;
  /// Sets a word of pinned memory once all that is queued on `stream` by now is done and can be read. To look at it is
  /// no call of CUDA, as passed() is, which makes other threads' calls wait.
  virtual void set(Stream stream, int32_t* word, int32_t value) = 0;
  /// @throws Lost where what is queued on `stream` will never be done
  virtual void throw_if_lost(Stream stream) = 0;

  /// Copies between any two memories; `from` in pageable memory makes the host wait.
  virtual void copy(Stream stream, void* to, const void* from, size_t bytes) = 0;
  /// Likewise `rows` rows of `bytes`, whose beginnings are so many bytes apart.
  virtual void copy_rows(Stream stream, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t bytes,
                         int64_t rows) = 0;
  /// Copies from pinned host memory, each from what one call of pin() or allocate_pinned() gave. For 256 records of
  /// 112 KB that takes a core 0.3 ms, and they come at 52 GB/s; with copy() it would be 0.65 ms, and 22 GB/s.
  virtual void copy_many(Stream stream, std::span<const CopyJob> copies, Begin begin) = 0;
  virtual void fill(Stream stream, void* to, uint8_t value, size_t bytes) = 0;
  /// Copies to and from that GPU go directly from now on, where the machine has a way.
  virtual void reach(int other) = 0;
  /// Makes this GPU the calling thread's own.
  virtual void make_current() = 0;

  /// A cudaGraphExec_t of whatever library, once.
  virtual void launch_graph(Stream stream, void* graph) = 0;
  /// The kernel of that name, which lives as long as this; null where there is none for this GPU. Callers keep it: it
  /// is looked up among strings.
  virtual Launcher* find_kernel(std::string_view name) = 0;
};

/// @throws std::runtime_error where the GPU has no such kernel
template <class Job, class Parameters>
FoundKernel<Job, Parameters> find(Runtime& gpu, const Kernel<Job, Parameters>& kernel) {
  Launcher* launcher = gpu.find_kernel(kernel.name);
  if (!launcher) throw std::runtime_error("this GPU has no kernel \"" + std::string(kernel.name) + '"');
  return FoundKernel<Job, Parameters>(launcher);
}

}  // namespace penstock::device

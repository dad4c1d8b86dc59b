// What the CUDA half of the program gives to the rest: an interface without a word of CUDA in it. The half is a shared
// library of its own, loaded when a pipeline first asks for a GPU (see open.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include <penstock/dtype.h>

#include "device/jobs.h"

namespace penstock::codec::jpeg {
struct ScanJob;
struct ScanWork;
}  // namespace penstock::codec::jpeg

namespace penstock::kernels {
enum class ElementMachine : uint8_t;
}

namespace penstock::device {

using Stream = void*;  ///< a cudaStream_t
using Event = void*;   ///< a cudaEvent_t

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

/// A JPEG file for the GPU's JPEG engine.
struct EnginePicture {
  std::span<const uint8_t> file;
  std::array<void*, 3> planes{};    ///< where the samples of each component go, as the file has them
  std::array<size_t, 3> pitches{};  ///< from row to row
  bool decoded = false;             ///< set by the engine
};

/// A way into the GPU's JPEG engine, for one thread at a time.
class JpegEngine {
 public:
  virtual ~JpegEngine() = default;
  /// Returns when all samples are written. Does not wait for any stream before it writes. A picture that it cannot do
  /// spoils no other.
  virtual void decode(std::span<EnginePicture> pictures) = 0;
};

/// One GPU. All methods may be called from any thread; they throw std::runtime_error with CUDA's own words, Lost and
/// Full among them, and those that allocate std::bad_alloc when memory is short.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Facts facts() = 0;

  virtual void* allocate(size_t bytes) = 0;
  virtual void deallocate(void* block) noexcept = 0;
  /// Bytes of device memory that nobody holds, in any process.
  virtual size_t free_memory() = 0;
  /// Host memory that the GPU copies from at full speed.
  virtual void* allocate_pinned(size_t bytes) = 0;
  virtual void deallocate_pinned(void* block) noexcept = 0;

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
  virtual void copy_many(Stream stream, std::span<const CopyJob> copies) = 0;
  /// Likewise, for a batch for which the GPU has had nothing to do yet: behind what was brought for others.
  virtual void bring(Stream stream, std::span<const CopyJob> copies) = 0;
  virtual void fill(Stream stream, void* to, uint8_t value, size_t bytes) = 0;
  /// Copies to and from that GPU go directly from now on, where the machine has a way.
  virtual void reach(int other) = 0;
  /// Makes this GPU the calling thread's own.
  virtual void make_current() = 0;

  // Kernels over a ragged batch, one launch each. Arrays of jobs and all that they point to lie in device memory.
  virtual void copy_all(Stream stream, const CopyJob* jobs, int count, size_t most_bytes) = 0;
  virtual void gather(Stream stream, DType in, DType out, const GatherJob* jobs, int count, int64_t most_elements) = 0;
  virtual void resample(Stream stream, DType in, DType out, const ResampleJob* jobs, int count,
                        int64_t most_elements) = 0;
  /// One sum; the job lies in host memory, the parts on this GPU.
  virtual void sum(Stream stream, DType dtype, const SumJob& job) = 0;
  /// Makes the tables for which jobs as below have room.
  virtual void make_taps(Stream stream, const std::byte* jobs, size_t stride, int count) = 0;
  /// Jobs are kernels::ElementJob, `stride` bytes apart, all of them for `machine` or one behind it.
  virtual void elements(Stream stream, const std::byte* jobs, size_t stride, int count, int64_t most_elements,
                        kernels::ElementMachine machine) = 0;
  /// Jobs are StatisticsJob, `stride` bytes apart; `together` of them each share their statistics.
  virtual void statistics(Stream stream, const std::byte* jobs, size_t stride, int count, int together,
                          int64_t most_groups) = 0;
  /// Scans, samples, or pixels that the host has decoded, to pixels, as there are among the jobs, in which some is
  /// noted that the GPU finds out.
  virtual void decode_jpeg(Stream stream, codec::jpeg::ScanJob* jobs, int count, int64_t most_elements,
                           const codec::jpeg::ScanWork& work) = 0;

  // One block a job. Memory of other GPUs is read and written through peer access, which the caller has enabled.
  virtual void renew(Stream stream, const RenewJob* jobs, int count, const Bases& bases) = 0;
  virtual void total(Stream stream, const TotalJob* jobs, int count, void* to) = 0;

  /// A cudaGraphExec_t of whatever library, once.
  virtual void launch_graph(Stream stream, void* graph) = 0;

  /// @throws std::runtime_error with the reason where there is no engine, or no library to reach it
  virtual std::unique_ptr<JpegEngine> open_jpeg_engine() = 0;

  /// Thread blocks that may share a scan in decode_jpeg(): GPUs from compute capability 9.0 on have clusters of them,
  /// for code that was compiled for such a GPU. On a stream with a bound on multiprocessors each has its own scan: a
  /// cluster may not fit there.
  /// @throws std::runtime_error where no code was compiled for the GPU
  virtual int most_team(Stream stream) = 0;
};

/// The version of this interface; a library of another one is refused. Another number for every change of this file and
/// of the jobs: jobs.h, codec/jpeg/scan_job.h, kernels/elements/job.h.
inline constexpr int kBackendVersion = 20;

}  // namespace penstock::device

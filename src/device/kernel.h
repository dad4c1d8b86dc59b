// Kernels, as the host knows them: a name with the types of its jobs and parameters. The CUDA half registers a launcher
// under that name. A GPU whose half has none is no fault: the host does the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <penstock/dtype.h>

namespace penstock::device {

using Stream = void*;  ///< a cudaStream_t

/// A launch without types, as it crosses from the host half to the CUDA half.
struct LaunchArguments {
  Stream stream = nullptr;
  const std::byte* jobs = nullptr;  ///< in the GPU's memory, and all that they point to
  size_t stride = 0;                ///< bytes from one job to the next
  int count = 0;
  int64_t most_elements = 0;         ///< that a job has; what an element is the kernel says
  DType in = DType::kNone;           ///< element types, where they are the same for all jobs
  DType out = DType::kNone;          ///< likewise
  const void* parameters = nullptr;  ///< in host memory; not read after launch() has returned
};

/// One kernel on one GPU. Methods may be called from any thread; they throw what Runtime's methods throw.
class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Queues the launch.
  virtual void launch(const LaunchArguments& arguments) = 0;
  /// Thread blocks that may share a job on that stream. The host divides jobs for so many, where a kernel's jobs are
  /// divided. @throws std::runtime_error where no code was compiled for the GPU
  virtual int most_team(Stream) { return 1; }
};

/// What kernels have that need no jobs, or no parameters.
struct Nothing {};

/// The name of a kernel. Both halves include the header that defines it, so they agree on the types.
/// @tparam Job         what one sample asks for; read by the GPU
/// @tparam Parameters  what a whole launch asks for; read by the launcher
template <class Job, class Parameters = Nothing>
struct Kernel {
  static_assert(std::is_trivially_copyable_v<Job> && std::is_trivially_copyable_v<Parameters>);
  std::string_view name;
};

/// The jobs of a ragged batch, for one launch.
template <class Job, class Parameters = Nothing>
struct JobBatch {
  Stream stream = nullptr;
  const Job* jobs = nullptr;  ///< in the GPU's memory
  int count = 0;
  int64_t most_elements = 0;
  DType in = DType::kNone, out = DType::kNone;
  Parameters parameters{};
  size_t stride = sizeof(Job);

  static JobBatch of(const LaunchArguments& a) {
    return {.stream = a.stream,
            .jobs = reinterpret_cast<const Job*>(a.jobs),
            .count = a.count,
            .most_elements = a.most_elements,
            .in = a.in,
            .out = a.out,
            .parameters = *static_cast<const Parameters*>(a.parameters),
            .stride = a.stride};
  }
};

/// A kernel that was found on a GPU; a caller that launches it often keeps this.
template <class Job, class Parameters = Nothing>
class FoundKernel {
 public:
  FoundKernel() = default;
  explicit FoundKernel(Launcher* launcher) : launcher_(launcher) {}
  explicit operator bool() const { return launcher_ != nullptr; }
  /// @pre the kernel was found
  void operator()(const JobBatch<Job, Parameters>& batch) const {
    const LaunchArguments arguments{.stream = batch.stream,
                                    .jobs = reinterpret_cast<const std::byte*>(batch.jobs),
                                    .stride = batch.stride,
                                    .count = batch.count,
                                    .most_elements = batch.most_elements,
                                    .in = batch.in,
                                    .out = batch.out,
                                    .parameters = &batch.parameters};
    launcher_->launch(arguments);
  }
  int most_team(Stream stream) const { return launcher_->most_team(stream); }

 private:
  Launcher* launcher_ = nullptr;
};

}  // namespace penstock::device

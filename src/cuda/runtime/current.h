// Which GPU the calling thread's calls are about.
#pragma once

#include <cuda.h>

#include <mutex>

namespace penstock::cuda {

/// The context of a GPU that CUDA's runtime uses, in all libraries of the process. Made at the first use, unless a
/// library has made it before, and kept for as long as this lives.
class PrimaryContext {
 public:
  explicit PrimaryContext(int gpu) : gpu_(gpu) {}
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  CUcontext get();

 private:
  const int gpu_;
  std::once_flag made_;
  CUdevice device_{};
  CUcontext context_ = nullptr;
};

/// Makes a GPU the calling thread's own for as long as it lives. Callers may be threads of a framework: they have
/// afterwards what they had, which may be none. To set the device back instead would make a context on GPU 0 for each
/// thread that had none: some hundred MB of its memory for every process of a host. Meanwhile the thread's calls do not
/// count for graphs that other threads capture, whose captures they would end otherwise: to ask for an event, to
/// allocate and to free are calls that CUDA forbids then.
class Current {
 public:
  explicit Current(PrimaryContext& context);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // the thread's own, once it has been exchanged
};

}  // namespace penstock::cuda

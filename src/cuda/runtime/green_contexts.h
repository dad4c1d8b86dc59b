// Streams whose kernels run on a part of a GPU's multiprocessors. Memory, events and launches are those of the primary
// context: a green context says nothing but where kernels run.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace penstock::cuda {

/// Of one GPU. All streams with the same bound share the same multiprocessors.
class GreenContexts {
 public:
  /// A non-blocking stream; the GPU must be the calling thread's own.
  /// @param multiprocessors rounded up to what the GPU can divide
  /// @throws std::runtime_error where the driver is older than CUDA 12.5, or with its words
  cudaStream_t make_stream(int gpu, int multiprocessors, int priority);
  /// Whether the stream is one of these. Workers ask for each sample, and sleep where they find a lock taken: there is
  /// none as long as there are no such streams.
  bool made(cudaStream_t stream);

 private:
  std::mutex mutex_;
  std::set<cudaStream_t> streams_;
  std::atomic<bool> any_{false};
  std::map<int, CUgreenCtx> contexts_;  // by bound; they live as long as the process, like the primary context
};

}  // namespace penstock::cuda

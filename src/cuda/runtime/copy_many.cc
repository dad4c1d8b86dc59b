#include "cuda/runtime/copy_many.h"

#include <algorithm>
#include <vector>

#include "cuda/runtime/check.h"

namespace penstock::cuda {
namespace {

cudaError_t copy_batch(void** to, const void** from, size_t* bytes, size_t count, cudaStream_t stream) {
  cudaMemcpyAttributes all{};
  all.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t first = 0;
#if CUDART_VERSION >= 13000
  return cudaMemcpyBatchAsync(to, from, bytes, count, &all, &first, 1, stream);
#else
  size_t failed = 0;
  return cudaMemcpyBatchAsync(to, const_cast<void**>(from), bytes, count, &all, &first, 1, &failed, stream);
#endif
}

}  // namespace

bool can_copy_many() {
  static const bool has_it = [] {
    int driver = 0;
    return cudaDriverGetVersion(&driver) == cudaSuccess && driver >= 12080;
  }();
  return has_it;
}

void copy_many(cudaStream_t stream, std::span<const device::CopyJob> copies) {
  // With 256 the call takes 0.3 ms, and other threads' calls wait for it: the thread that feeds two GPUs through JAX
  // took 1.13 ms a batch instead of 0.95.
  constexpr size_t kAtOnce = 16;
  if (copies.size() < kAtOnce || !can_copy_many()) {
    for (const device::CopyJob& copy : copies)
      check(cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    return;
  }
  std::vector<void*> to;
  std::vector<const void*> from;
  std::vector<size_t> bytes;
  for (const device::CopyJob& copy : copies) {
    to.push_back(copy.to);
    from.push_back(copy.from);
    bytes.push_back(copy.bytes);
  }
  for (size_t i = 0; i < copies.size(); i += kAtOnce)
    check(copy_batch(&to[i], &from[i], &bytes[i], std::min(kAtOnce, copies.size() - i), stream),
          "cudaMemcpyBatchAsync");
}

}  // namespace penstock::cuda

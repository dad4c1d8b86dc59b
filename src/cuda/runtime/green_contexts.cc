#include "cuda/runtime/green_contexts.h"

#include "cuda/runtime/driver.h"

namespace penstock::cuda {
namespace {

template <class Function, class... Args>
void call(const char* name, Args... args) {
  check(of_driver<Function>(name, 12050, "a bound on multiprocessors")(args...), name);
}

CUgreenCtx make_context(int gpu, int multiprocessors) {
  CUdevice device{};
  call<decltype(&cuDeviceGet)>("cuDeviceGet", &device, gpu);
  CUdevResource all{}, part{}, rest{};
  call<decltype(&cuDeviceGetDevResource)>("cuDeviceGetDevResource", device, &all, CU_DEV_RESOURCE_TYPE_SM);
  unsigned groups = 1;
  call<decltype(&cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount", &part, &groups, &all, &rest, 0U,
                                               static_cast<unsigned>(multiprocessors));
  CUdevResourceDesc described{};
  call<decltype(&cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc", &described, &part, 1U);
  CUgreenCtx context{};
  call<decltype(&cuGreenCtxCreate)>("cuGreenCtxCreate", &context, described, device, CU_GREEN_CTX_DEFAULT_STREAM);
  return context;
}

}  // namespace

cudaStream_t GreenContexts::make_stream(int gpu, int multiprocessors, int priority) {
  const std::lock_guard lock(mutex_);
  CUgreenCtx& context = contexts_[multiprocessors];
  if (!context) context = make_context(gpu, multiprocessors);
  CUstream stream{};
  call<decltype(&cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate", &stream, context, CU_STREAM_NON_BLOCKING, priority);
  streams_.insert(stream);
  any_.store(true, std::memory_order_release);
  return stream;
}

bool GreenContexts::made(cudaStream_t stream) {
  if (!any_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  return streams_.contains(stream);
}

}  // namespace penstock::cuda

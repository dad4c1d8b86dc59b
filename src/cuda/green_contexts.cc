#include "cuda/green_contexts.h"

#include <stdexcept>
#include <string>

#include "cuda/check.h"

namespace penstock::cuda {
namespace {

/// A function of the driver, which nothing links: hosts without a GPU have none.
template <class Function>
Function of_driver(const char* name) {
  constexpr unsigned kVersion = 12050;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, kVersion, cudaEnableDefault, &result), name);
  if (!found) throw std::runtime_error("a bound on multiprocessors needs a driver of CUDA 12.5 or newer");
  return reinterpret_cast<Function>(found);
}

template <class Function, class... Args>
void call(const char* name, Args... args) {
  const CUresult status = of_driver<Function>(name)(args...);
  if (status == CUDA_SUCCESS) return;
  const char* words = nullptr;
  of_driver<decltype(&cuGetErrorString)>("cuGetErrorString")(status, &words);
  throw std::runtime_error(std::string(name) + ": " + (words ? words : "unknown error"));
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
  CUgreenCtx& context = made_[multiprocessors];
  if (!context) context = make_context(gpu, multiprocessors);
  CUstream stream{};
  call<decltype(&cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate", &stream, context, CU_STREAM_NON_BLOCKING, priority);
  return stream;
}

}  // namespace penstock::cuda

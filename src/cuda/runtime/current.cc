#include "cuda/runtime/current.h"

#include "cuda/runtime/driver.h"

namespace penstock::cuda {
namespace {

/// The driver's functions for contexts.
struct Contexts {
  static const Contexts& get() {
    static const Contexts contexts;
    return contexts;
  }
  decltype(&cuDeviceGet) device = of<decltype(device)>("cuDeviceGet");
  decltype(&cuDevicePrimaryCtxRetain) retain = of<decltype(retain)>("cuDevicePrimaryCtxRetain");
  decltype(&cuDevicePrimaryCtxRelease) release = of<decltype(release)>("cuDevicePrimaryCtxRelease");
  decltype(&cuCtxPushCurrent) push = of<decltype(push)>("cuCtxPushCurrent");
  decltype(&cuCtxPopCurrent) pop = of<decltype(pop)>("cuCtxPopCurrent");
  decltype(&cuThreadExchangeStreamCaptureMode) exchange_mode =
      of<decltype(exchange_mode)>("cuThreadExchangeStreamCaptureMode");

 private:
  template <class Function>
  static Function of(const char* name) {
    return of_driver<Function>(name, 12000, "using a GPU");
  }
};

}  // namespace

CUcontext PrimaryContext::get() {
  std::call_once(made_, [this] {
    check(Contexts::get().device(&device_, gpu_), "cuDeviceGet");
    check(Contexts::get().retain(&context_, device_), "cuDevicePrimaryCtxRetain", gpu_);
  });
  return context_;
}

PrimaryContext::~PrimaryContext() {
  if (context_) Contexts::get().release(device_);
}

Current::Current(PrimaryContext& context) {
  check(Contexts::get().push(context.get()), "cuCtxPushCurrent");
  Contexts::get().exchange_mode(&mode_);
}

Current::~Current() {
  Contexts::get().exchange_mode(&mode_);
  CUcontext popped{};
  Contexts::get().pop(&popped);
}

}  // namespace penstock::cuda

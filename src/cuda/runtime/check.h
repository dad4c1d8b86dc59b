// CUDA's errors as exceptions that may cross the library's border.
#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <stdexcept>
#include <string>

#include "device/runtime.h"

namespace penstock::cuda {

/// Whether CUDA says of this error that the process has to be ended before a GPU can be used again.
inline bool breaks_context(cudaError_t status) {
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorContained:
      return true;
    default:
      return false;
  }
}

inline std::string in_words(cudaError_t status, const char* what) {
  return std::string(what) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
}

/// Where it is not memory for batches that is asked for, but what CUDA makes for itself: a context, a kernel's code.
inline std::string no_room(cudaError_t status, const char* what, int gpu) {
  return "GPU " + std::to_string(gpu) +
         " has no memory left for what CUDA itself needs there: " + in_words(status, what) +
         "; let other processes and libraries take less (JAX takes three quarters unless "
         "XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise), or use a smaller batch or prefetch depth";
}

/// @param gpu that the call is about; -1: the thread's
inline void check(cudaError_t status, const char* what, int gpu = -1) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // not to be met again by the next caller
  if (status == cudaErrorMemoryAllocation) {
    if (gpu < 0) (void)cudaGetDevice(&gpu);
    throw device::Full(no_room(status, what, gpu));
  }
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction)
    throw std::runtime_error(in_words(status, what) +
                             "; this Penstock was not compiled for this GPU: CMAKE_CUDA_ARCHITECTURES says for which");
  if (breaks_context(status)) throw device::Lost(in_words(status, what));
  throw std::runtime_error(in_words(status, what));
}

/// Of a call that asks for memory for batches. @throws std::bad_alloc where there is none: the pool that asks may have
/// some to give back first, and has words of its own
inline void check_allocation(cudaError_t status, const char* what) {
  if (status != cudaErrorMemoryAllocation) return check(status, what);
  (void)cudaGetLastError();
  throw std::bad_alloc();
}

/// What a launch itself reports; faults inside a kernel show at a later call.
inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

}  // namespace penstock::cuda

// CUDA's errors as exceptions that may cross the library's border.
#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <stdexcept>
#include <string>

#include "device/backend.h"

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

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // not to be met again by the next caller
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction)
    throw std::runtime_error(in_words(status, what) +
                             "; this Penstock was not compiled for this GPU: CMAKE_CUDA_ARCHITECTURES says for which");
  if (breaks_context(status)) throw device::Lost(in_words(status, what));
  throw std::runtime_error(in_words(status, what));
}

/// What a launch itself reports; faults inside a kernel show at a later call.
inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

}  // namespace penstock::cuda

// CUDA's errors as exceptions that may cross the library's border.
#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <stdexcept>
#include <string>

namespace penstock::cuda {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // not to be met again by the next caller
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) +
                           ")");
}

/// What a launch itself reports; faults inside a kernel show at a later call.
inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

}  // namespace penstock::cuda

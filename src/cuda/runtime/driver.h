// Functions of the driver that CUDA's runtime has no words for. Nothing links them: hosts without a GPU have no driver.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "cuda/runtime/check.h"

namespace penstock::cuda {

/// @param version of CUDA, as 12050 for 12.5, in which the function became what is meant
/// @param purpose what cannot be had without it, for people to read
template <class Function>
Function of_driver(const char* name, unsigned version, const char* purpose) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result), name);
  if (!found)
    throw std::runtime_error(std::string(purpose) + " needs a driver of CUDA " + std::to_string(version / 1000) + "." +
                             std::to_string(version % 1000 / 10) + " or newer");
  return reinterpret_cast<Function>(found);
}

/// The driver's errors have the runtime's numbers.
inline void check(CUresult status, const char* what, int gpu = -1) {
  check(static_cast<cudaError_t>(status), what, gpu);
}

}  // namespace penstock::cuda

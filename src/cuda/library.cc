// What the host half finds in this library by name. Exceptions may cross its border.
#include <cuda_runtime_api.h>

#include <cstdio>

#include "cuda/libraries/nccl.h"
#include "cuda/libraries/nvjpeg.h"
#include "cuda/runtime/open.h"

extern "C" {

/// A hash of the headers that both halves share: a library of others is refused.
__attribute__((visibility("default"))) const char* penstock_cuda_interface() { return PENSTOCK_INTERFACE; }

/// GPUs of this process; `why` gets a text when there are none.
__attribute__((visibility("default"))) int penstock_cuda_count(const char** why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count) return count;
  *why = status == cudaSuccess ? "the driver reports no GPU" : cudaGetErrorString(status);
  int driver = 0;  // stays so where there is none, which the runtime takes for one that is too old
  if (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
    *why = "there is no NVIDIA driver, libcuda.so.1";
  return 0;
}

__attribute__((visibility("default"))) void penstock_cuda_uuid(int id, char* text, size_t size) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, id) != cudaSuccess) return;
  for (size_t i = 0; i < sizeof properties.uuid.bytes && 2 * i + 2 < size; ++i)
    std::snprintf(text + 2 * i, 3, "%02x", static_cast<unsigned char>(properties.uuid.bytes[i]));
}

__attribute__((visibility("default"))) penstock::device::Runtime* penstock_cuda_open(int id) {
  return penstock::cuda::open_runtime(id).release();
}

__attribute__((visibility("default"))) penstock::device::Collectives* penstock_cuda_open_collectives(
    const int* gpus, int count, const char* library) {
  return penstock::cuda::open_nccl({gpus, static_cast<size_t>(count)}, library).release();
}

__attribute__((visibility("default"))) penstock::device::JpegEngine* penstock_cuda_open_jpeg_engine(int gpu) {
  return penstock::cuda::open_nvjpeg_engine(gpu).release();
}
}

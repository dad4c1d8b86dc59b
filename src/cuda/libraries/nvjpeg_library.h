// nvJPEG as far as the engine needs it: declared here and opened at run time, so that nothing links it. The names and
// numbers are those of nvjpeg.h in the versions for CUDA 12 and 13.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <string>

namespace penstock::cuda::nvjpeg {

using Status = int;  // 0: success
using Handle = void*;
using State = void*;
inline constexpr int kHardwareBackend = 3;
inline constexpr int kUnchanged = 0;  // output: the components as they are stored, a plane each

struct Image {
  std::array<unsigned char*, 4> channel{};
  std::array<size_t, 4> pitch{};
};

struct Library {
  Status (*create)(int backend, void* device_allocator, void* pinned_allocator, unsigned flags,
                   Handle* handle) = nullptr;
  Status (*destroy)(Handle handle) = nullptr;
  Status (*hardware_info)(Handle handle, unsigned* engines, unsigned* cores_of_each) = nullptr;
  Status (*create_state)(Handle handle, State* state) = nullptr;
  Status (*destroy_state)(State state) = nullptr;
  Status (*initialize)(Handle handle, State state, int pictures, int cpu_threads, int output) = nullptr;
  Status (*decode)(Handle handle, State state, const unsigned char* const* files, const size_t* sizes, Image* images,
                   cudaStream_t stream) = nullptr;
  std::string why;  // there is none, for people to read; empty: all of the above is there

  /// Looked for once: among what the process has loaded, where the loader looks, in the packages of frameworks beside
  /// this one, and in the toolkit.
  static const Library& get();
};

}  // namespace penstock::cuda::nvjpeg

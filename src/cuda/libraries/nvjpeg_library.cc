#include "cuda/libraries/nvjpeg_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <optional>
#include <vector>

namespace penstock::cuda::nvjpeg {
namespace {

/// Folders of Python packages that hold this file lie above it.
std::vector<std::string> places() {
  std::vector<std::string> found = {"libnvjpeg.so.13", "libnvjpeg.so.12"};
  Dl_info own{};
  ::dladdr(reinterpret_cast<void*>(&places), &own);
  std::filesystem::path folder = own.dli_fname ? own.dli_fname : "";
  while (folder.has_relative_path() && folder != folder.parent_path()) {
    folder = folder.parent_path();
    found.push_back(folder / "nvidia/cu13/lib/libnvjpeg.so.13");
    found.push_back(folder / "nvidia/nvjpeg/lib/libnvjpeg.so.12");
  }
  found.push_back("/usr/local/cuda/lib64/libnvjpeg.so.13");
  found.push_back("/usr/local/cuda/lib64/libnvjpeg.so.12");
  return found;
}

Library functions_of(void* handle) {
  Library library;
  const auto find = [&]<class Fn>(Fn*& function, const char* name) {
    function = reinterpret_cast<Fn*>(::dlsym(handle, name));
    if (!function) library.why = std::string("the nvJPEG that was found has no ") + name;
  };
  find(library.create, "nvjpegCreateEx");
  find(library.destroy, "nvjpegDestroy");
  find(library.hardware_info, "nvjpegGetHardwareDecoderInfo");
  find(library.create_state, "nvjpegJpegStateCreate");
  find(library.destroy_state, "nvjpegJpegStateDestroy");
  find(library.initialize, "nvjpegDecodeBatchedInitialize");
  find(library.decode, "nvjpegDecodeBatched");
  return library;
}

/// Whether the driver is not too old for it, as one for CUDA 12 is for a library for 13.
bool works(const Library& library) {
  Handle handle = nullptr;
  if (!library.why.empty() || library.create(kHardwareBackend, nullptr, nullptr, 0, &handle)) return false;
  library.destroy(handle);
  return true;
}

/// The first that works; else the first that there is, which tells why it does not.
Library open() {
  std::optional<Library> first;
  for (const std::string& place : places()) {
    void* const handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed, like everything of CUDA's
    if (!handle) continue;
    const Library library = functions_of(handle);
    if (works(library)) return library;
    if (!first) first = library;
  }
  if (first) return *first;
  return {.why = "nvJPEG is not installed (libnvjpeg.so.13; pip install nvidia-nvjpeg, or the CUDA toolkit)"};
}

}  // namespace

const Library& Library::get() {
  static const Library library = open();
  return library;
}

}  // namespace penstock::cuda::nvjpeg

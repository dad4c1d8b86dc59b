#include "cuda/libraries/nccl.h"

#include <dlfcn.h>

#include <cuda_runtime_api.h>

#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace penstock::cuda {
namespace {

using device::Stream;

// The few names of nccl.h that are used; NCCL keeps them from version to version. Not every place that builds Penstock
// has the header.
using Comm = struct OpaqueComm*;
enum Operation { kNcclSum = 0, kNcclAvg = 4 };
constexpr int kNcclBytes = 0;  // ncclInt8

/// ncclDataType_t; -1 for types that NCCL does not add up.
int nccl_type(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return 0;
    case DType::kUInt8:
      return 1;
    case DType::kInt32:
      return 2;
    case DType::kUInt32:
      return 3;
    case DType::kInt64:
      return 4;
    case DType::kUInt64:
      return 5;
    case DType::kFloat16:
      return 6;
    case DType::kFloat:
      return 7;
    case DType::kFloat64:
      return 8;
    case DType::kBFloat16:
      return 9;
    default:
      return -1;
  }
}

/// The library that this code is in.
std::filesystem::path own_folder() {
  Dl_info own{};
  ::dladdr(reinterpret_cast<void*>(&own_folder), &own);
  return std::filesystem::path(own.dli_fname ? own.dli_fname : "").parent_path();
}

/// NCCL's library, which stays open: its threads run its code.
class Library {
 public:
  explicit Library(const std::string& path) {
    constexpr const char* kName = "libnccl.so.2";
    void* handle = nullptr;
    if (!path.empty()) {
      handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    } else {
      // By its name alone this finds the one that a framework has loaded, whichever it was. Wheels are beside ours.
      handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
      const auto wheel = own_folder().parent_path() / "nvidia" / "nccl" / "lib" / kName;
      if (!handle) handle = ::dlopen(wheel.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (!handle) throw std::runtime_error(std::string("no NCCL: ") + ::dlerror());
    load(handle, "ncclGetVersion", get_version);
    load(handle, "ncclGetErrorString", get_error_string);
    load(handle, "ncclCommInitAll", comm_init_all);
    load(handle, "ncclCommDestroy", comm_destroy);
    load(handle, "ncclGroupStart", group_start);
    load(handle, "ncclGroupEnd", group_end);
    load(handle, "ncclBroadcast", broadcast);
    load(handle, "ncclReduce", reduce);
  }
  void check(int status, const char* what) const {
    if (status) throw std::runtime_error(std::string(what) + ": " + get_error_string(status));
  }

  int (*get_version)(int*) = nullptr;
  const char* (*get_error_string)(int) = nullptr;
  int (*comm_init_all)(Comm*, int, const int*) = nullptr;
  int (*comm_destroy)(Comm) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*broadcast)(const void*, void*, size_t, int, int, Comm, cudaStream_t) = nullptr;
  int (*reduce)(const void*, void*, size_t, int, int, int, Comm, cudaStream_t) = nullptr;

 private:
  template <class Fn>
  static void load(void* handle, const char* name, Fn& fn) {
    fn = reinterpret_cast<Fn>(::dlsym(handle, name));
    if (!fn) throw std::runtime_error(std::string("this NCCL has no ") + name);
  }
};

/// NCCL asks that what is queued on several GPUs comes in one order on all of them, whatever communicators are used.
std::mutex& launch_order() {
  static std::mutex mutex;
  return mutex;
}

class Nccl final : public device::Collectives {
 public:
  Nccl(std::span<const int> gpus, const std::string& library) : library_(library), comms_(gpus.size()) {
    std::lock_guard lock(launch_order());
    library_.check(library_.comm_init_all(comms_.data(), static_cast<int>(gpus.size()), gpus.data()),
                   "ncclCommInitAll");
  }
  ~Nccl() override {
    for (Comm comm : comms_) library_.comm_destroy(comm);
  }

  std::string name() const override {
    int version = 0;
    library_.check(library_.get_version(&version), "ncclGetVersion");
    return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
  }
  bool sums(DType dtype) const override { return nccl_type(dtype) >= 0; }

  void broadcast(std::span<const Stream> streams, std::span<void* const> blocks, size_t bytes, int root) override {
    together("ncclBroadcast", [&](size_t i, Comm comm) {
      return library_.broadcast(blocks[i], blocks[i], bytes, kNcclBytes, root, comm,
                                static_cast<cudaStream_t>(streams[i]));
    });
  }
  void reduce(std::span<const Stream> streams, std::span<const void* const> parts, void* result, DType dtype,
              int64_t elements, bool mean, int root) override {
    together("ncclReduce", [&](size_t i, Comm comm) {
      return library_.reduce(parts[i], result, static_cast<size_t>(elements), nccl_type(dtype),
                             mean ? kNcclAvg : kNcclSum, root, comm, static_cast<cudaStream_t>(streams[i]));
    });
  }

 private:
  /// Calls of all GPUs as one: NCCL would wait for the others within the first otherwise.
  template <class Fn>
  void together(const char* what, Fn&& call) {
    std::lock_guard lock(launch_order());
    library_.check(library_.group_start(), "ncclGroupStart");
    int status = 0;
    for (size_t i = 0; i < comms_.size() && !status; ++i) status = call(i, comms_[i]);
    const int ended = library_.group_end();  // also after an error, or the thread's group would stay open
    library_.check(status ? status : ended, what);
  }

  const Library library_;
  std::vector<Comm> comms_;
};

}  // namespace

std::unique_ptr<device::Collectives> open_nccl(std::span<const int> gpus, const std::string& library) {
  return std::make_unique<Nccl>(gpus, library);
}

}  // namespace penstock::cuda

#include "device/device.h"

#include <dlfcn.h>

#include <filesystem>
#include <map>

#include "core/check.h"

namespace penstock::device {
namespace {

/// The CUDA half: a library beside this one that is looked for once.
class Library {
 public:
  static Library& get() {
    static Library library;
    return library;
  }
  int count = 0;
  std::string why;
  std::shared_ptr<Backend> open(int id) const { return std::shared_ptr<Backend>(open_(id)); }

 private:
  Library() {
    const std::filesystem::path path = folder() / PENSTOCK_CUDA_LIBRARY;
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: CUDA's threads run its code
    if (!handle) {
      why = std::filesystem::exists(path) ? ::dlerror()
                                          : "this build of Penstock has no CUDA half (" + path.string() + ")";
      return;
    }
    const auto version = reinterpret_cast<int (*)()>(::dlsym(handle, "penstock_cuda_version"));
    const auto devices = reinterpret_cast<int (*)(const char**)>(::dlsym(handle, "penstock_cuda_count"));
    open_ = reinterpret_cast<Backend* (*)(int)>(::dlsym(handle, "penstock_cuda_open"));
    if (!version || !devices || !open_ || version() != kBackendVersion) {
      why = path.string() + " belongs to another version of Penstock";
      return;
    }
    const char* reason = nullptr;
    count = devices(&reason);
    if (reason) why = reason;
  }
  static std::filesystem::path folder() {
    Dl_info own{};
    ::dladdr(reinterpret_cast<void*>(&Library::get), &own);
    return std::filesystem::path(own.dli_fname ? own.dli_fname : "").parent_path();
  }
  Backend* (*open_)(int) = nullptr;
};

}  // namespace

int count() { return Library::get().count; }
std::string why_none() { return Library::get().why; }

Device& Device::open(int id) {
  PENSTOCK_CHECK(id >= 0 && id < count(), ArgumentError, "there is no GPU {}: Penstock can use {}{}", id, count(),
                 why_none().empty() ? "" : " (" + why_none() + ")");
  static std::mutex mutex;
  static auto& devices = *new std::map<int, std::unique_ptr<Device>>;  // see the comment of open()
  std::lock_guard lock(mutex);
  std::unique_ptr<Device>& device = devices[id];
  if (!device) device = std::make_unique<Device>(id, Library::get().open(id));
  return *device;
}

Device::Device(int id, std::shared_ptr<Backend> backend)
    : id_(id),
      backend_(std::move(backend)),
      facts_(backend_->facts()),
      memory_(std::make_shared<Pool>(backend_, Pool::Kind::kDevice, id)),
      pinned_(std::make_shared<Pool>(backend_, Pool::Kind::kPinned, id)) {}

std::shared_ptr<void> Device::borrow_stream() {
  std::lock_guard lock(mutex_);
  if (idle_streams_.empty()) idle_streams_.push_back(backend_->make_stream());
  Stream stream = idle_streams_.back();
  idle_streams_.pop_back();
  return {stream, [this](Stream s) {
            std::lock_guard lock(mutex_);
            idle_streams_.push_back(s);
          }};
}

}  // namespace penstock::device

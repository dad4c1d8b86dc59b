#include "device/device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include <penstock/gpu.h>

#include "core/check.h"
#include "device/collectives.h"

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
  std::shared_ptr<Runtime> open(int id) const { return std::shared_ptr<Runtime>(open_(id)); }
  std::string uuid(int id) const {
    char text[40] = {};
    uuid_(id, text, sizeof text);
    return text;
  }
  std::shared_ptr<Collectives> open_collectives(std::span<const int> gpus, const std::string& library) const {
    return std::shared_ptr<Collectives>(collectives_(gpus.data(), static_cast<int>(gpus.size()), library.c_str()));
  }
  std::unique_ptr<JpegEngine> open_jpeg_engine(int gpu) const {
    if (!jpeg_engine_) throw std::runtime_error(why);
    return std::unique_ptr<JpegEngine>(jpeg_engine_(gpu));
  }

 private:
  Library() {
    const std::filesystem::path path = folder() / PENSTOCK_CUDA_LIBRARY;
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: CUDA's threads run its code
    if (!handle) {
      why = std::filesystem::exists(path) ? ::dlerror()
                                          : "this build of Penstock has no CUDA half (" + path.string() + ")";
      return;
    }
    const auto interface = reinterpret_cast<const char* (*)()>(::dlsym(handle, "penstock_cuda_interface"));
    const auto devices = reinterpret_cast<int (*)(const char**)>(::dlsym(handle, "penstock_cuda_count"));
    open_ = reinterpret_cast<Runtime* (*)(int)>(::dlsym(handle, "penstock_cuda_open"));
    uuid_ = reinterpret_cast<void (*)(int, char*, size_t)>(::dlsym(handle, "penstock_cuda_uuid"));
    collectives_ = reinterpret_cast<Collectives* (*)(const int*, int, const char*)>(
        ::dlsym(handle, "penstock_cuda_open_collectives"));
    jpeg_engine_ = reinterpret_cast<JpegEngine* (*)(int)>(::dlsym(handle, "penstock_cuda_open_jpeg_engine"));
    const bool whole = interface && devices && open_ && uuid_ && collectives_ && jpeg_engine_;
    if (!whole || std::string_view(interface()) != PENSTOCK_INTERFACE) {
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
  Runtime* (*open_)(int) = nullptr;
  void (*uuid_)(int, char*, size_t) = nullptr;
  Collectives* (*collectives_)(const int*, int, const char*) = nullptr;
  JpegEngine* (*jpeg_engine_)(int) = nullptr;
};

void check_number(int id) {
  const Library& library = Library::get();
  PENSTOCK_CHECK(id >= 0 && id < library.count, ArgumentError, "there is no GPU {}: Penstock can use {}{}", id,
                 library.count, library.why.empty() ? "" : " (" + library.why + ")");
}

struct OpenDevices {
  std::mutex mutex;
  std::map<int, std::unique_ptr<Device>> all;
};

OpenDevices& open_devices() {
  static auto& devices = *new OpenDevices;  // never destroyed: see the comment of Device::open()
  return devices;
}

}  // namespace

int count() { return Library::get().count; }
std::string why_none() { return Library::get().why; }

std::shared_ptr<Collectives> open_collectives(std::span<const int> gpus, const std::string& library) {
  return Library::get().open_collectives(gpus, library);
}

std::unique_ptr<JpegEngine> open_jpeg_engine(int gpu) { return Library::get().open_jpeg_engine(gpu); }

Device& Device::open(int id) {
  check_number(id);
  auto& [mutex, devices] = open_devices();
  std::lock_guard lock(mutex);
  std::unique_ptr<Device>& device = devices[id];
  if (!device) device = std::make_unique<Device>(id, Library::get().open(id));
  return *device;
}

void Device::for_each_open(const std::function<void(Device&)>& fn) {
  auto& [mutex, devices] = open_devices();
  std::lock_guard lock(mutex);
  for (const auto& [id, device] : devices)
    if (device) fn(*device);
}

Device::Device(int id, std::shared_ptr<Runtime> runtime, OpenJpegEngine open_engine)
    : id_(id),
      runtime_(std::move(runtime)),
      copy_kernel_(find(*runtime_, kCopy)),
      open_engine_(open_engine ? std::move(open_engine) : [id] { return open_jpeg_engine(id); }),
      facts_(runtime_->facts()),
      node_(node_of_pci(facts_.address)),
      memory_(std::make_shared<Pool>(runtime_, Memory::kDevice, id)),
      pinned_(std::make_shared<Pool>(runtime_, Memory::kPinned, id, node_)) {
  if (std::getenv("PENSTOCK_POISON")) memory_->poison();
}

EngineQueue& Device::jpeg_engine() {
  std::call_once(engine_opened_, [this] { engine_ = std::make_unique<EngineQueue>(open_engine_); });
  return *engine_;
}

EndQueue& Device::ends() {
  std::call_once(ends_opened_, [this] { ends_ = std::make_unique<EndQueue>(*runtime_); });
  return *ends_;
}

std::shared_ptr<void> Device::borrow_stream(int multiprocessors) {
  const int bound = multiprocessors < facts_.multiprocessors ? multiprocessors : 0;
  std::lock_guard lock(mutex_);
  std::vector<Stream>& idle = idle_streams_[bound];
  if (idle.empty()) idle.push_back(runtime_->make_stream(bound));
  Stream stream = idle.back();
  idle.pop_back();
  return {stream, [this, &idle](Stream s) {
            std::lock_guard lock(mutex_);
            idle.push_back(s);
          }};
}

void Device::finish(Stream stream) {
  const auto let_go = [this](Event event) { runtime_->give_back_event(event); };
  const std::unique_ptr<void, decltype(let_go)> end(runtime_->take_event(stream), let_go);
  runtime_->record(end.get(), stream);
  runtime_->synchronize(end.get());
}

std::shared_ptr<void> Device::keep_memory() {
  const auto count = [this](int change) {
    std::lock_guard lock(mutex_);
    keepers_ += change;
    for (Pool* pool : {memory_.get(), pinned_.get()}) pool->keep(keepers_ > 0);
  };
  count(1);
  return {this, [count](void*) { count(-1); }};
}

}  // namespace penstock::device

std::string penstock::gpu_uuid(int id) {
  device::check_number(id);
  return device::Library::get().uuid(id);
}

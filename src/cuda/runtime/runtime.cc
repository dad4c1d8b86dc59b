// A GPU by way of CUDA's runtime and driver.
#include "device/runtime.h"

#include <map>
#include <memory>
#include <span>
#include <string_view>

#include "cuda/runtime/check.h"
#include "cuda/runtime/copy_many.h"
#include "cuda/runtime/driver.h"
#include "cuda/runtime/gpu.h"
#include "cuda/runtime/kernel_table.h"
#include "cuda/runtime/open.h"
#include "cuda/runtime/turns.h"
#include "device/idle_events.h"

namespace penstock::cuda {
namespace {

using device::CopyJob;
using device::Event;
using device::Facts;
using device::Memory;
using device::Stream;

cudaStream_t real(Stream stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t real_event(Event event) { return static_cast<cudaEvent_t>(event); }

class CudaRuntime final : public device::Runtime {
 public:
  explicit CudaRuntime(int id) : gpu_(id) {
    for (const KernelRow& row : kernel_table()) kernels_.emplace(row.name, row.make(gpu_));
  }

  Facts facts() override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, gpu_.id), "cudaGetDeviceProperties");
    char address[32] = {};
    check(cudaDeviceGetPCIBusId(address, sizeof address, gpu_.id), "cudaDeviceGetPCIBusId");
    return {.name = properties.name,
            .memory = properties.totalGlobalMem,
            .multiprocessors = properties.multiProcessorCount,
            .address = address};
  }
  void* allocate(Memory where, size_t bytes) override {
    const Current current(gpu_.context);
    void* block = nullptr;
    if (where == Memory::kDevice)
      check_allocation(cudaMalloc(&block, bytes), "cudaMalloc");
    else
      check_allocation(cudaHostAlloc(&block, bytes, cudaHostAllocPortable), "cudaHostAlloc");
    return block;
  }
  void deallocate(Memory where, void* block) noexcept override {
    give_back([&] { return where == Memory::kDevice ? cudaFree(block) : cudaFreeHost(block); });
  }
  size_t free_memory() override {
    const Current current(gpu_.context);
    size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    return free;
  }
  bool pin(const void* memory, size_t bytes) override {
    if (!can_copy_many()) return false;
    const Current current(gpu_.context);
    auto* const begin = const_cast<void*>(memory);
    const cudaError_t status = cudaHostRegister(begin, bytes, cudaHostRegisterReadOnly | cudaHostRegisterPortable);
    if (breaks_context(status)) check(status, "cudaHostRegister");
    (void)cudaGetLastError();  // not to be met again by the next caller
    return status == cudaSuccess;
  }
  void unpin(const void* memory) noexcept override {
    give_back([&] { return cudaHostUnregister(const_cast<void*>(memory)); });
  }

  Stream make_stream(int multiprocessors) override {
    const Current current(gpu_.context);
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    // The least priority: training must not wait for the loader. Non-blocking: no ordering with the default stream.
    if (multiprocessors > 0) return gpu_.bounded.make_stream(gpu_.id, multiprocessors, least);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, least), "cudaStreamCreate");
    return stream;
  }
  void destroy_stream(Stream stream) noexcept override {
    give_back([&] { return cudaStreamDestroy(real(stream)); });
  }
  Event take_event(Stream stream) override {
    const Current current(gpu_.context);  // whose default stream is meant, should it be that
    int gpu = gpu_.id;
    check(cudaStreamGetDevice(real(stream), &gpu), "cudaStreamGetDevice");
    if (Event idle = idle_events_.take(gpu)) return idle;
    const auto make = [&] {
      cudaEvent_t event = nullptr;
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
      idle_events_.made(event, gpu);
      return event;
    };
    if (gpu == gpu_.id) return make();
    PrimaryContext other(gpu);
    const Current there(other);
    return make();
  }
  void give_back_event(Event event) noexcept override { idle_events_.give_back(event); }
  void record(Event event, Stream stream) override {
    const Current current(gpu_.context);
    check(cudaEventRecord(real_event(event), real(stream)), "cudaEventRecord");
  }
  bool passed(Event event) override {
    const Current current(gpu_.context);
    const cudaError_t status = cudaEventQuery(real_event(event));
    if (status == cudaErrorNotReady) return false;
    check(status, "cudaEventQuery");
    return true;
  }
  void wait(Stream stream, Event event) override {
    const Current current(gpu_.context);
    check(cudaStreamWaitEvent(real(stream), real_event(event), 0), "cudaStreamWaitEvent");
  }
  void synchronize(Event event) override {
    const Current current(gpu_.context);
    check(cudaEventSynchronize(real_event(event)), "cudaEventSynchronize");
  }
  void set(Stream stream, int32_t* word, int32_t value) override {
    static const auto write =
        of_driver<decltype(&cuStreamWriteValue32)>("cuStreamWriteValue32", 12000, "decoding on a GPU");
    const Current current(gpu_.context);
    // Pinned memory has one address for both.
    check(write(real(stream), reinterpret_cast<CUdeviceptr>(word), static_cast<cuuint32_t>(value),
                CU_STREAM_WRITE_VALUE_DEFAULT),
          "cuStreamWriteValue32");
  }
  void throw_if_lost(Stream stream) override {
    const Current current(gpu_.context);
    const cudaError_t status = cudaStreamQuery(real(stream));
    (void)cudaGetLastError();  // not to be met again by the next caller
    if (status != cudaSuccess && status != cudaErrorNotReady) throw device::Lost(in_words(status, "a kernel"));
  }

  void copy(Stream stream, void* to, const void* from, size_t bytes) override {
    const Current current(gpu_.context);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, real(stream)), "cudaMemcpyAsync");
  }
  void copy_rows(Stream stream, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t bytes,
                 int64_t rows) override {
    const Current current(gpu_.context);
    check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, static_cast<size_t>(rows), cudaMemcpyDefault,
                            real(stream)),
          "cudaMemcpy2DAsync");
  }
  void copy_many(Stream stream, std::span<const CopyJob> copies, device::Begin begin) override {
    const Current current(gpu_.context);
    if (begin == device::Begin::kInOrder) return cuda::copy_many(real(stream), copies);
    arrivals_.take(real(stream), [&](cudaEvent_t arrived) {
      cuda::copy_many(real(stream), copies);
      check(cudaEventRecord(arrived, real(stream)), "cudaEventRecord");
    });
  }
  void reach(int other) override {
    const Current current(gpu_.context);
    int possible = 0;
    check(cudaDeviceCanAccessPeer(&possible, gpu_.id, other), "cudaDeviceCanAccessPeer");
    if (!possible) return;
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
      (void)cudaGetLastError();  // by a framework, or another group
    else
      check(status, "cudaDeviceEnablePeerAccess");
  }
  void make_current() override { check(cudaSetDevice(gpu_.id), "cudaSetDevice", gpu_.id); }
  void fill(Stream stream, void* to, uint8_t value, size_t bytes) override {
    const Current current(gpu_.context);
    check(cudaMemsetAsync(to, value, bytes, real(stream)), "cudaMemsetAsync");
  }
  void launch_graph(Stream stream, void* graph) override {
    const Current current(gpu_.context);
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), real(stream)), "cudaGraphLaunch");
  }
  device::Launcher* find_kernel(std::string_view name) override {
    const auto found = kernels_.find(name);
    return found == kernels_.end() ? nullptr : found->second.get();
  }

 private:
  /// At exit the driver may be gone before the last batch is; then there is nothing left to give back.
  template <class Call>
  void give_back(Call&& call) noexcept {
    try {
      const Current current(gpu_.context);
      if (call() != cudaSuccess) (void)cudaGetLastError();  // not to be met again by the next launch
    } catch (const std::exception&) {
    }
  }

  Gpu gpu_;
  Turns arrivals_;  // of copies from the host
  device::IdleEvents idle_events_;
  std::map<std::string_view, std::unique_ptr<device::Launcher>> kernels_;
};

}  // namespace

std::unique_ptr<device::Runtime> open_runtime(int gpu) { return std::make_unique<CudaRuntime>(gpu); }

}  // namespace penstock::cuda

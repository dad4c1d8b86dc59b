#include "device/backend.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <span>

#include "cuda/check.h"
#include "cuda/copy_many.h"
#include "cuda/current.h"
#include "cuda/driver.h"
#include "cuda/green_contexts.h"
#include "cuda/kernels.h"
#include "cuda/nccl.h"
#include "cuda/nvjpeg.h"
#include "cuda/turns.h"
#include "device/idle_events.h"

namespace penstock::cuda {
namespace {

using device::CopyJob;
using device::Event;
using device::Facts;
using device::GatherJob;
using device::RenewJob;
using device::ResampleJob;
using device::Stream;
using device::TotalJob;

cudaStream_t real(Stream stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t real_event(Event event) { return static_cast<cudaEvent_t>(event); }

class CudaBackend final : public device::Backend {
 public:
  explicit CudaBackend(int id) : id_(id), context_(id) {}

  Facts facts() override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, id_), "cudaGetDeviceProperties");
    char address[32] = {};
    check(cudaDeviceGetPCIBusId(address, sizeof address, id_), "cudaDeviceGetPCIBusId");
    return {.name = properties.name,
            .memory = properties.totalGlobalMem,
            .multiprocessors = properties.multiProcessorCount,
            .address = address};
  }
  void* allocate(size_t bytes) override {
    const Current current(context_);
    void* block = nullptr;
    check_allocation(cudaMalloc(&block, bytes), "cudaMalloc");
    return block;
  }
  void deallocate(void* block) noexcept override {
    give_back([&] { return cudaFree(block); });
  }
  size_t free_memory() override {
    const Current current(context_);
    size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    return free;
  }
  void* allocate_pinned(size_t bytes) override {
    const Current current(context_);
    void* block = nullptr;
    check_allocation(cudaHostAlloc(&block, bytes, cudaHostAllocPortable), "cudaHostAlloc");
    return block;
  }
  void deallocate_pinned(void* block) noexcept override {
    give_back([&] { return cudaFreeHost(block); });
  }
  bool pin(const void* memory, size_t bytes) override {
    if (!can_copy_many()) return false;
    const Current current(context_);
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
    const Current current(context_);
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    // The least priority: training must not wait for the loader. Non-blocking: no ordering with the default stream.
    if (multiprocessors > 0) return bounded_.make_stream(id_, multiprocessors, least);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, least), "cudaStreamCreate");
    return stream;
  }
  void destroy_stream(Stream stream) noexcept override {
    give_back([&] { return cudaStreamDestroy(real(stream)); });
  }
  Event take_event(Stream stream) override {
    const Current current(context_);  // whose default stream is meant, should it be that
    int gpu = id_;
    check(cudaStreamGetDevice(real(stream), &gpu), "cudaStreamGetDevice");
    if (Event idle = idle_events_.take(gpu)) return idle;
    const auto make = [&] {
      cudaEvent_t event = nullptr;
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
      idle_events_.made(event, gpu);
      return event;
    };
    if (gpu == id_) return make();
    PrimaryContext other(gpu);
    const Current there(other);
    return make();
  }
  void give_back_event(Event event) noexcept override { idle_events_.give_back(event); }
  void record(Event event, Stream stream) override {
    const Current current(context_);
    check(cudaEventRecord(real_event(event), real(stream)), "cudaEventRecord");
  }
  bool passed(Event event) override {
    const Current current(context_);
    const cudaError_t status = cudaEventQuery(real_event(event));
    if (status == cudaErrorNotReady) return false;
    check(status, "cudaEventQuery");
    return true;
  }
  void wait(Stream stream, Event event) override {
    const Current current(context_);
    check(cudaStreamWaitEvent(real(stream), real_event(event), 0), "cudaStreamWaitEvent");
  }
  void synchronize(Event event) override {
    const Current current(context_);
    check(cudaEventSynchronize(real_event(event)), "cudaEventSynchronize");
  }
  void set(Stream stream, int32_t* word, int32_t value) override {
    static const auto write =
        of_driver<decltype(&cuStreamWriteValue32)>("cuStreamWriteValue32", 12000, "decoding on a GPU");
    const Current current(context_);
    // Pinned memory has one address for both.
    check(write(real(stream), reinterpret_cast<CUdeviceptr>(word), static_cast<cuuint32_t>(value),
                CU_STREAM_WRITE_VALUE_DEFAULT),
          "cuStreamWriteValue32");
  }
  void throw_if_lost(Stream stream) override {
    const Current current(context_);
    const cudaError_t status = cudaStreamQuery(real(stream));
    (void)cudaGetLastError();  // not to be met again by the next caller
    if (status != cudaSuccess && status != cudaErrorNotReady) throw device::Lost(in_words(status, "a kernel"));
  }

  void copy(Stream stream, void* to, const void* from, size_t bytes) override {
    const Current current(context_);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, real(stream)), "cudaMemcpyAsync");
  }
  void copy_rows(Stream stream, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t bytes,
                 int64_t rows) override {
    const Current current(context_);
    check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, static_cast<size_t>(rows), cudaMemcpyDefault,
                            real(stream)),
          "cudaMemcpy2DAsync");
  }
  void copy_many(Stream stream, std::span<const CopyJob> copies) override {
    const Current current(context_);
    cuda::copy_many(real(stream), copies);
  }
  void bring(Stream stream, std::span<const CopyJob> copies) override {
    const Current current(context_);
    arrivals_.take(real(stream), [&](cudaEvent_t arrived) {
      cuda::copy_many(real(stream), copies);
      check(cudaEventRecord(arrived, real(stream)), "cudaEventRecord");
    });
  }
  void reach(int other) override {
    const Current current(context_);
    int possible = 0;
    check(cudaDeviceCanAccessPeer(&possible, id_, other), "cudaDeviceCanAccessPeer");
    if (!possible) return;
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
      (void)cudaGetLastError();  // by a framework, or another group
    else
      check(status, "cudaDeviceEnablePeerAccess");
  }
  void make_current() override { check(cudaSetDevice(id_), "cudaSetDevice", id_); }
  void fill(Stream stream, void* to, uint8_t value, size_t bytes) override {
    const Current current(context_);
    check(cudaMemsetAsync(to, value, bytes, real(stream)), "cudaMemsetAsync");
  }
  void copy_all(Stream stream, const CopyJob* jobs, int count, size_t most_bytes) override {
    const Current current(context_);
    cuda::copy_all(real(stream), jobs, count, most_bytes);
  }
  void gather(Stream stream, DType in, DType out, const GatherJob* jobs, int count, int64_t most_elements) override {
    const Current current(context_);
    cuda::gather(real(stream), in, out, jobs, count, most_elements);
  }
  void resample(Stream stream, DType in, DType out, const ResampleJob* jobs, int count,
                int64_t most_elements) override {
    const Current current(context_);
    cuda::resample(real(stream), in, out, jobs, count, most_elements);
  }
  void sum(Stream stream, DType dtype, const device::SumJob& job) override {
    const Current current(context_);
    cuda::sum(real(stream), dtype, job);
  }
  void make_taps(Stream stream, const std::byte* jobs, size_t stride, int count) override {
    const Current current(context_);
    cuda::make_taps(real(stream), jobs, stride, count);
  }
  void elements(Stream stream, const std::byte* jobs, size_t stride, int count, int64_t most_elements,
                kernels::ElementMachine machine) override {
    const Current current(context_);
    cuda::elements(real(stream), jobs, stride, count, most_elements, machine);
  }
  void statistics(Stream stream, const std::byte* jobs, size_t stride, int count, int together,
                  int64_t most_groups) override {
    const Current current(context_);
    cuda::statistics(real(stream), jobs, stride, count, together, most_groups);
  }
  void decode_jpeg(Stream stream, codec::jpeg::ScanJob* jobs, int count, int64_t most_elements,
                   const codec::jpeg::ScanWork& work) override {
    const Current current(context_);
    EntropyRoom room = entropy_room();
    room.most_team = most_team(stream);
    if (work.stuffed) free_jpeg_of_stuffing(real(stream), jobs, count);
    const auto decode = [&](cudaEvent_t half_begun) {
      decode_jpeg_entropy(real(stream), jobs, count, room);
      if (work.direct)
        make_jpeg_pixels_directly(real(stream), jobs, count, most_elements, work.samples ? nullptr : half_begun);
      if (work.samples) transform_jpeg(real(stream), jobs, count, most_elements, half_begun);
    };
    // The next may begin when half of this one's files have come behind entropy decoding: early enough to keep the GPU
    // full, late enough not to leave this one behind.
    if (work.scans() && fills_gpu(count, room))
      turns_.take(real(stream), decode);
    else if (work.scans())
      decode(nullptr);
    if (work.pixels) make_jpeg_pixels(real(stream), jobs, count, most_elements);
  }
  void renew(Stream stream, const RenewJob* jobs, int count, const device::Bases& bases) override {
    const Current current(context_);
    cuda::renew(real(stream), jobs, count, bases);
  }
  void total(Stream stream, const TotalJob* jobs, int count, void* to) override {
    const Current current(context_);
    cuda::total(real(stream), jobs, count, to);
  }
  void launch_graph(Stream stream, void* graph) override {
    const Current current(context_);
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), real(stream)), "cudaGraphLaunch");
  }
  std::unique_ptr<device::JpegEngine> open_jpeg_engine() override {
    const Current current(context_);
    return open_nvjpeg_engine(id_);
  }
  int most_team(Stream stream) override { return bounded_.made(real(stream)) ? 1 : entropy_room().most_team; }

 private:
  /// At exit the driver may be gone before the last batch is; then there is nothing left to give back.
  template <class Call>
  void give_back(Call&& call) noexcept {
    try {
      const Current current(context_);
      if (call() != cudaSuccess) (void)cudaGetLastError();  // not to be met again by the next launch
    } catch (const std::exception&) {
    }
  }
  const EntropyRoom& entropy_room() {
    std::call_once(prepared_for_jpeg_, [&] {
      const Current current(context_);
      entropy_room_ = prepare_jpeg_entropy();
    });
    return entropy_room_;
  }

  const int id_;
  PrimaryContext context_;
  std::once_flag prepared_for_jpeg_;
  EntropyRoom entropy_room_;
  Turns turns_;     // of kernels
  Turns arrivals_;  // of copies from the host
  device::IdleEvents idle_events_;
  GreenContexts bounded_;
};

}  // namespace
}  // namespace penstock::cuda

extern "C" {

__attribute__((visibility("default"))) int penstock_cuda_version() { return penstock::device::kBackendVersion; }

/// GPUs of this process; `why` gets a text when there are none.
__attribute__((visibility("default"))) int penstock_cuda_count(const char** why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count) return count;
  *why = status == cudaSuccess ? "the driver reports no GPU" : cudaGetErrorString(status);
  return 0;
}

__attribute__((visibility("default"))) void penstock_cuda_uuid(int id, char* text, size_t size) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, id) != cudaSuccess) return;
  for (size_t i = 0; i < sizeof properties.uuid.bytes && 2 * i + 2 < size; ++i)
    std::snprintf(text + 2 * i, 3, "%02x", static_cast<unsigned char>(properties.uuid.bytes[i]));
}

__attribute__((visibility("default"))) penstock::device::Backend* penstock_cuda_open(int id) {
  return new penstock::cuda::CudaBackend(id);
}

__attribute__((visibility("default"))) penstock::device::Collectives* penstock_cuda_open_collectives(
    const int* gpus, int count, const char* library) {
  return penstock::cuda::open_nccl({gpus, static_cast<size_t>(count)}, library).release();
}
}

// A GPU of host memory: streams only count, and an event has passed when the test says so.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/jpeg_engine.h"
#include "device/runtime.h"

namespace penstock::device::test {

class FakeBackend : public Runtime {
 public:
  FakeBackend() {
    on(kCopy, [](const JobBatch<CopyJob>& batch) {
      for (int i = 0; i < batch.count; ++i) std::memcpy(batch.jobs[i].to, batch.jobs[i].from, batch.jobs[i].bytes);
    });
  }
  struct FakeEvent {
    Stream made_for = nullptr;
    Stream recorded = nullptr;
    bool passed = false;
  };

  Facts facts() override { return {.name = "fake"}; }
  void* allocate(Memory, size_t bytes) override {
    std::lock_guard lock(mutex);
    if (lost_calls) throw Lost("cudaMalloc: broken");
    if (bytes > free) throw std::bad_alloc();
    free -= bytes;
    void* block = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    blocks[block] = bytes;
    return block;
  }
  void deallocate(Memory, void* block) noexcept override {
    std::lock_guard lock(mutex);
    free += blocks[block];
    blocks.erase(block);
    std::free(block);
  }
  size_t free_memory() override { return free; }
  bool pin(const void* memory, size_t bytes) override {
    std::lock_guard lock(mutex);
    if (!can_pin) return false;
    pinned[memory] = bytes;
    return true;
  }
  void unpin(const void* memory) noexcept override {
    std::lock_guard lock(mutex);
    pinned.erase(memory);
  }
  Stream make_stream(int multiprocessors) override {
    bounds.push_back(multiprocessors);
    return reinterpret_cast<Stream>(++streams);
  }
  void destroy_stream(Stream) noexcept override {}
  Event take_event(Stream stream) override {
    std::lock_guard lock(mutex);
    return *events.insert(new FakeEvent{.made_for = stream}).first;
  }
  void give_back_event(Event event) noexcept override {
    std::lock_guard lock(mutex);
    events.erase(static_cast<FakeEvent*>(event));
    delete static_cast<FakeEvent*>(event);
  }
  void record(Event event, Stream stream) override {
    if (lost_calls) throw Lost("cudaEventRecord: broken");
    if (gone.contains(stream)) throw std::runtime_error("no such stream");
    if (gpu_of(static_cast<FakeEvent*>(event)->made_for) != gpu_of(stream))
      throw std::runtime_error("an event of another GPU");  // as CUDA: invalid resource handle
    static_cast<FakeEvent*>(event)->recorded = stream;
  }
  bool passed(Event event) override { return static_cast<FakeEvent*>(event)->passed; }
  void wait(Stream stream, Event event) override {
    std::lock_guard lock(mutex);
    waits.emplace_back(stream, static_cast<FakeEvent*>(event)->recorded);
  }
  void synchronize(Event event) override {
    ++synchronized;
    finish(static_cast<FakeEvent*>(event)->recorded);
  }
  void set(Stream, int32_t* word, int32_t value) override {
    if (lost_calls) throw Lost("cuStreamWriteValue32: broken");
    if (lost) return;
    if (!slow) return std::atomic_ref(*word).store(value, std::memory_order_release);
    std::lock_guard lock(mutex);
    due.emplace_back(word, value);
  }
  void throw_if_lost(Stream) override {
    if (lost) std::rethrow_exception(broken);
  }
  void copy(Stream, void* to, const void* from, size_t bytes) override {
    if (lost_calls) throw Lost("cudaMemcpyAsync: broken");
    std::memcpy(to, from, bytes);
  }
  void fill(Stream stream, void* to, uint8_t value, size_t bytes) override {
    std::lock_guard lock(mutex);
    fills.push_back(stream);
    std::memset(to, value, bytes);
  }
  void copy_rows(Stream, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t bytes,
                 int64_t rows) override {
    for (int64_t i = 0; i < rows; ++i)
      std::memcpy(static_cast<char*>(to) + to_pitch * static_cast<size_t>(i),
                  static_cast<const char*>(from) + from_pitch * static_cast<size_t>(i), bytes);
  }
  void copy_many(Stream stream, std::span<const CopyJob> copies, Begin begin) override {
    if (begin == Begin::kBehindOthers) {
      std::lock_guard lock(mutex);
      brought.push_back(stream);
    }
    if (lost_calls) throw Lost("cudaMemcpyAsync: broken");
    ++copies_of_many;
    for (const CopyJob& copy : copies) std::memcpy(copy.to, copy.from, copy.bytes);
  }
  void reach(int) override {}
  void make_current() override {}
  void launch_graph(Stream, void*) override {}
  Launcher* find_kernel(std::string_view name) override {
    std::lock_guard lock(mutex);
    if (lacking.contains(std::string(name))) return nullptr;
    return &kernel(name);
  }

  /// Has launches of a kernel call `work` with their typed jobs. Otherwise they are noted and do nothing.
  template <class Job, class Parameters, class Work>
  void on(const Kernel<Job, Parameters>& asked, Work work) {
    std::lock_guard lock(mutex);
    kernel(asked.name).work = [work](const LaunchArguments& a) { work(JobBatch<Job, Parameters>::of(a)); };
  }
  /// Launches of a kernel so far.
  template <class Job, class Parameters>
  int launches(const Kernel<Job, Parameters>& asked) {
    std::lock_guard lock(mutex);
    return kernel(asked.name).launches;
  }

  /// What opens a device's engine: make_engine, be it set later.
  OpenJpegEngine engine() {
    return [this] {
      if (!make_engine) throw std::runtime_error("this GPU has none");
      return make_engine();
    };
  }

  /// Tests with several GPUs number the streams of each from another hundred on.
  static uintptr_t gpu_of(Stream stream) { return reinterpret_cast<uintptr_t>(stream) / 100; }

  size_t words_due() {
    std::lock_guard lock(mutex);
    return due.size();
  }
  /// Sets the words that a slow GPU has not set yet.
  void set_due() {
    std::lock_guard lock(mutex);
    for (const auto& [word, value] : due) std::atomic_ref(*word).store(value, std::memory_order_release);
    due.clear();
  }
  /// All work queued on the stream so far is done.
  void finish(Stream stream) {
    for (FakeEvent* event : events)
      if (event->recorded == stream) event->passed = true;
  }

  int team = 1;                   // at most, for all kernels
  std::set<std::string> lacking;  // kernels that this GPU has not
  OpenJpegEngine make_engine;     // null: there is no engine
  std::mutex mutex;
  size_t free = size_t{1} << 30;
  std::atomic<bool> lost = false;        // kernels fail when they run
  std::atomic<bool> lost_calls = false;  // every call fails
  bool slow = false;                     // words are set by the test
  std::vector<std::pair<int32_t*, int32_t>> due;
  // Made once: ThreadSanitizer does not see who lets go of an exception last.
  const std::exception_ptr broken = std::make_exception_ptr(Lost("a kernel: broken"));
  uintptr_t streams = 0;
  std::vector<int> bounds;  // of streams
  int synchronized = 0;
  std::map<void*, size_t> blocks;
  bool can_pin = true;
  std::map<const void*, size_t> pinned;
  std::set<FakeEvent*> events;
  std::set<Stream> gone;
  std::vector<std::pair<Stream, Stream>> waits;  // who waited for work of whom
  std::vector<Stream> fills, brought;            // on which streams
  std::atomic<size_t> copies_of_many = 0;        // calls

 private:
  struct FakeKernel : Launcher {
    explicit FakeKernel(FakeBackend& of) : gpu(of) {}
    void launch(const LaunchArguments& arguments) override {
      ++launches;
      if (work) work(arguments);
    }
    int most_team(Stream) override { return gpu.team; }
    FakeBackend& gpu;
    std::atomic<int> launches = 0;
    std::function<void(const LaunchArguments&)> work;
  };
  FakeKernel& kernel(std::string_view name) {
    std::unique_ptr<FakeKernel>& kernel = kernels_[std::string(name)];
    if (!kernel) kernel = std::make_unique<FakeKernel>(*this);
    return *kernel;
  }
  std::map<std::string, std::unique_ptr<FakeKernel>> kernels_;
};

}  // namespace penstock::device::test

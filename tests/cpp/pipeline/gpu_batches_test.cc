// Who begins the batches of a pipeline with a GPU, on one of host memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

/// Notes which threads ask for pinned memory: a batch does where it begins.
struct Gpu : device::test::FakeBackend {
  void* allocate(device::Memory where, size_t bytes) override {
    if (where == device::Memory::kPinned) {
      std::lock_guard lock(of_threads);
      threads.push_back(std::this_thread::get_id());
    }
    return FakeBackend::allocate(where, bytes);
  }
  std::ptrdiff_t times(std::thread::id thread) {
    std::lock_guard lock(of_threads);
    return std::ranges::count(threads, thread);
  }
  std::mutex of_threads;
  std::vector<std::thread::id> threads;
};

TEST(GpuBatches, TheConsumerBeginsWhatItWaitsForAndLeavesTheOthersToWorkers) {
  test::Folder folder(8);
  test::GpuRun<Gpu> on(test::decoding_on_gpu(folder.reader_args(), "cuda"), OnError::kRaise);
  on.backend->slow = true;  // batches stay in the making, with their memory
  const std::thread::id consumer = std::this_thread::get_id();
  on.start();
  const std::ptrdiff_t first = on.backend->times(consumer);
  EXPECT_GT(first, 0);
  on.start();
  on.start();
  while (on.backend->words_due() < 3) std::this_thread::yield();
  EXPECT_EQ(on.backend->times(consumer), first);
  on.backend->set_due();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(on.take()->outputs[0].size(), 4);
}

}  // namespace
}  // namespace penstock

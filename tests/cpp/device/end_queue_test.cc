#include "device/end_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "device/fake_backend.h"

namespace penstock::device {
namespace {

class Ends : public ::testing::Test {
 protected:
  Mark mark(size_t i) { return {.memory = {}, .word = &words_[i]}; }

  test::FakeBackend backend_;
  std::array<int32_t, 100> words_{};
  const Stream stream_ = backend_.make_stream(0);
};

TEST_F(Ends, AreToldWhenTheGpuSaysSoInWhateverOrder) {
  backend_.slow = true;
  std::promise<void> first, second;
  EndQueue queue(backend_);
  queue.await(stream_, mark(0), [&](const std::exception_ptr& lost) {
    EXPECT_FALSE(lost);
    first.set_value();
  });
  queue.await(stream_, mark(1), [&](const std::exception_ptr&) { second.set_value(); });
  std::atomic_ref(words_[1]).store(1, std::memory_order_release);
  second.get_future().wait();
  auto end = first.get_future();
  EXPECT_EQ(end.wait_for(std::chrono::milliseconds(5)), std::future_status::timeout);
  backend_.set_due();
  end.wait();
}

TEST_F(Ends, OfALostGpuAreToldOnceItIsAsked) {
  std::promise<std::exception_ptr> told;
  EndQueue queue(backend_);
  backend_.lost = true;
  queue.await(stream_, mark(0), [&](const std::exception_ptr& lost) { told.set_value(lost); });
  EXPECT_THROW(std::rethrow_exception(told.get_future().get()), Lost);
}

TEST_F(Ends, NobodyWaitsForAWordThatTheGpuWasNotAskedToSet) {
  backend_.lost_calls = true;
  EndQueue queue(backend_);
  EXPECT_THROW(queue.await(stream_, mark(0), [](const std::exception_ptr&) { FAIL(); }), Lost);
}

TEST_F(Ends, AreAllToldBeforeTheQueueGoes) {
  std::atomic<size_t> told = 0;
  std::weak_ptr<int> held;
  {
    EndQueue queue(backend_);
    const auto some = std::make_shared<int>();
    held = some;
    std::vector<std::jthread> workers;
    for (size_t w = 0; w < 4; ++w)
      workers.emplace_back([&, w] {
        for (size_t i = w; i < words_.size(); i += 4)
          queue.await(stream_, mark(i), [&told, some](const std::exception_ptr&) { ++told; });
      });
  }
  EXPECT_EQ(told, words_.size());
  EXPECT_TRUE(held.expired());
}

TEST_F(Ends, TheQueueMayGoWhileTheCallThatSetsTheWordReturns) {
  struct SlowToReturn : test::FakeBackend {
    void set(Stream stream, int32_t* word, int32_t value) override {
      FakeBackend::set(stream, word, value);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  } backend;
  auto queue = std::make_unique<EndQueue>(backend);
  std::jthread worker([&, queue = queue.get()] { queue->await(stream_, mark(0), [](const std::exception_ptr&) {}); });
  while (!mark(0).set()) std::this_thread::yield();
  queue.reset();
}

}  // namespace
}  // namespace penstock::device

#include "device/engine_queue.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <latch>
#include <thread>

#include "device/outside_work.h"

namespace penstock::device {
namespace {

/// Writes each file's first byte to where its samples belong; files that begin with 0 cannot be done.
class FakeEngine final : public JpegEngine {
 public:
  explicit FakeEngine(std::atomic<int>* calls) : calls_(calls) {}
  void decode(std::span<EnginePicture> pictures) override {
    ++*calls_;
    for (EnginePicture& picture : pictures) {
      if (picture.file[0] == 255) throw std::runtime_error("lost");
      picture.decoded = picture.file[0] != 0;
      *static_cast<uint8_t*>(picture.planes[0]) = picture.file[0];
    }
  }

 private:
  std::atomic<int>* calls_;
};

TEST(EngineQueue, SaysWhyThereIsNone) {
  const EngineQueue queue([]() -> std::unique_ptr<JpegEngine> { throw std::runtime_error("this GPU has none"); });
  EXPECT_EQ(queue.why_none(), "this GPU has none");
}

TEST(EngineQueue, TakesNoSignalsOfTheProgram) {
  struct Asking : JpegEngine {
    explicit Asking(std::atomic<bool>* takes) : takes_(takes) {}
    void decode(std::span<EnginePicture>) override {
      sigset_t mask;
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      *takes_ = sigismember(&mask, SIGINT) == 0;
    }
    std::atomic<bool>* takes_;
  };
  std::atomic<bool> takes = true;
  {
    EngineQueue queue([&] { return std::make_unique<Asking>(&takes); });
    queue.submit({.ended = [](bool) {}});
  }
  EXPECT_FALSE(takes);
}

TEST(EngineQueue, DecodesAllAndTellsOfEach) {
  std::atomic<int> calls = 0;
  constexpr int kFiles = 500;
  std::vector<uint8_t> files(kFiles), samples(kFiles);
  std::vector<int> told(kFiles, -1);
  {
    EngineQueue queue([&] { return std::make_unique<FakeEngine>(&calls); });
    ASSERT_EQ(queue.why_none(), "");
    std::vector<std::jthread> workers;
    for (int w = 0; w < 4; ++w)
      workers.emplace_back([&, w] {
        for (int i = w; i < kFiles; i += 4) {
          files[i] = static_cast<uint8_t>(i % 200);
          EngineQueue::Task task{.ended = [&told, i](bool decoded) { told[i] = decoded ? 1 : 0; }};
          task.picture.file = {&files[i], 1};
          task.picture.planes[0] = &samples[i];
          queue.submit(std::move(task));
        }
      });
  }
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_EQ(samples[i], files[i]) << i;
    EXPECT_EQ(told[i], files[i] == 0 ? 0 : 1) << i;
  }
  EXPECT_LE(calls, kFiles);
}

TEST(EngineQueue, PicturesOfAnEngineThatFailsAreToldOf) {
  std::atomic<int> calls = 0;
  const uint8_t file = 255;
  bool told = false;
  {
    EngineQueue queue([&] { return std::make_unique<FakeEngine>(&calls); });
    EngineQueue::Task task{.ended = [&told](bool decoded) { told = !decoded; }};
    task.picture.file = {&file, 1};
    queue.submit(std::move(task));
  }
  EXPECT_TRUE(told);
}

TEST(OutsideWork, IsDoneAtOnceWhereNothingBegan) {
  OutsideWork work;
  EXPECT_TRUE(work.done_or([] { FAIL() << "called"; }));
}

TEST(OutsideWork, CallsOnceWhateverEndsLast) {
  for (int round = 0; round < 200; ++round) {
    OutsideWork work;
    std::atomic<int> calls = 0;
    std::latch called(1);
    work.begin();
    work.begin();
    {
      std::jthread one([&] { work.end(); });
      std::jthread other([&] { work.end(); });
      const bool done = work.done_or([&] {
        ++calls;
        called.count_down();
      });
      if (done) {
        ++calls;
        called.count_down();
      }
    }
    called.wait();
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace penstock::device

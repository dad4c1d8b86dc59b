#include "device/device.h"

#include <gtest/gtest.h>

#include "fake_backend.h"

namespace penstock::device {
namespace {

struct Gpu : test::FakeBackend {
  Facts facts() override { return {.name = "fake", .multiprocessors = 132}; }
};

TEST(Device, StreamsAreUsedAgainByThoseWhoHaveTheSameBound) {
  const auto backend = std::make_shared<Gpu>();
  Device device(0, backend);
  std::shared_ptr<void> bounded = device.borrow_stream(16), free = device.borrow_stream();
  EXPECT_EQ(backend->bounds, (std::vector<int>{16, 0}));
  const void* const first = bounded.get();
  bounded.reset();
  const auto other = device.borrow_stream(8);
  EXPECT_NE(other.get(), first);
  EXPECT_EQ(device.borrow_stream(16).get(), first);
  EXPECT_EQ(backend->bounds, (std::vector<int>{16, 0, 8}));
}

TEST(Device, WhoWaitsForAStreamLeavesNoEventBehind) {
  const auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  const auto stream = gpu.borrow_stream();
  gpu.finish(stream.get());
  EXPECT_EQ(backend->synchronized, 1);
  EXPECT_TRUE(backend->events.empty());
  backend->lost_calls = true;
  EXPECT_THROW(gpu.finish(stream.get()), Lost);
  EXPECT_TRUE(backend->events.empty());
}

TEST(Device, ABoundThatTheGpuDoesNotReachIsNone) {
  const auto backend = std::make_shared<Gpu>();
  Device device(0, backend);
  const auto all = device.borrow_stream(132), more = device.borrow_stream(1000);
  EXPECT_EQ(backend->bounds, (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace penstock::device

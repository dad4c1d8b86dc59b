#include "device/staging.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "core/out_of_memory.h"
#include "device/fake_backend.h"

namespace penstock::device {
namespace {

TEST(Staging, WhatManyThreadsPutArrives) {
  auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  StagingMemory memory(gpu, backend->make_stream(0));
  constexpr int kThreads = 4, kEach = 200;
  std::vector<std::vector<std::pair<const int*, std::vector<int>>>> placed(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        Staging staging(memory);
        for (int i = 0; i < kEach; ++i) {
          std::vector<int> values(static_cast<size_t>(i * 37 % 9000), t * kEach + i);
          const int* on_gpu = staging.put(std::span<const int>(values));
          placed[static_cast<size_t>(t)].emplace_back(on_gpu, std::move(values));
        }
      });
  }
  memory.upload();
  for (const auto& thread : placed)
    for (const auto& [on_gpu, values] : thread) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(on_gpu) % 64, 0U);
      ASSERT_TRUE(std::equal(values.begin(), values.end(), on_gpu));
    }
}

TEST(Staging, AThreadsSmallThingsShareARoom) {
  auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  StagingMemory memory(gpu, backend->make_stream(0));
  Staging staging(memory);
  const std::byte* const first = staging.take(100).host;
  const size_t room = memory.bytes();
  EXPECT_EQ(staging.take(1).host, first + 128);
  EXPECT_EQ(memory.bytes(), room);
  EXPECT_EQ(staging.take(room).host, first + room) << "is too large for one";
  EXPECT_EQ(staging.take(1).host, first + 192);
}

TEST(Staging, WhatIsExpectedTakesOneBlock) {
  auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  const std::vector<char> part(3 << 20, 'x');
  constexpr size_t kMegabyte = 1 << 20;
  for (const auto& [expected, taken] : {std::pair{size_t{0}, 4 * 8 * kMegabyte}, {27 * kMegabyte, 28 * kMegabyte}}) {
    const size_t before = gpu.memory().in_use();
    StagingMemory memory(gpu, backend->make_stream(0), expected);
    EXPECT_EQ(gpu.memory().in_use() - before, expected ? taken : 0) << "is there before workers come";
    std::vector<const char*> places;
    for (int i = 0; i < 8; ++i) places.push_back(Staging(memory).put(std::span<const char>(part)));
    EXPECT_EQ(gpu.memory().in_use() - before, taken);
    memory.upload();
    for (const char* place : places) EXPECT_EQ(std::memcmp(place, part.data(), part.size()), 0);
  }
}

TEST(Staging, BatchesOfNearlyTheSameSizeTakeBlocksOfOneSize) {
  StagedBytes staged;
  const auto after = [&](size_t bytes) {
    staged.saw(bytes);
    return staged.expected();
  };
  EXPECT_EQ(after(2800), 3150U);
  EXPECT_EQ(after(3000), 3150U);
  EXPECT_EQ(after(1600), 3150U);
  EXPECT_EQ(after(3200), 3600U);
  EXPECT_EQ(after(80), 90U);
}

TEST(Staging, OneThingMayBeLargerThanAChunk) {
  auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  StagingMemory memory(gpu, backend->make_stream(0));
  const std::vector<char> large(20 << 20, 'x');
  const char* on_gpu = Staging(memory).put(std::span<const char>(large));
  memory.upload();
  EXPECT_EQ(std::memcmp(on_gpu, large.data(), large.size()), 0);
}

TEST(Staging, AThreadThatFoundNoRoomHasNone) {
  auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  StagingMemory memory(gpu, backend->make_stream(0));
  Staging staging(memory);
  gpu.memory().set_limit(1);
  for (int i = 0; i < 2; ++i) EXPECT_THROW(staging.take(100), PoolExhausted);
  gpu.memory().set_limit(0);
  EXPECT_NE(staging.take(100).host, nullptr);
}

TEST(Staging, WhatFitsInSmallBlocksDoesNotFailForWantOfALargeOne) {
  auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  constexpr size_t kMegabyte = 1 << 20;
  gpu.memory().set_limit(44 * kMegabyte);
  StagedBytes staged;
  for (int batch = 0; batch < 3; ++batch) {
    StagingMemory memory(gpu, backend->make_stream(0), staged.expected());
    for (int i = 0; i < 40; ++i) EXPECT_NE(memory.take(kMegabyte).host, nullptr);
    staged.saw(memory.bytes());
    EXPECT_GT(staged.expected(), 44 * kMegabyte);
  }
}

}  // namespace
}  // namespace penstock::device

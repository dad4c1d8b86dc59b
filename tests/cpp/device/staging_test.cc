#include "device/staging.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "device/fake_backend.h"

namespace penstock::device {
namespace {

TEST(Staging, WhatManyThreadsPutArrives) {
  auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  Staging staging(gpu, backend->make_stream(0));
  constexpr int kThreads = 4, kEach = 200;
  std::vector<std::vector<std::pair<const int*, std::vector<int>>>> placed(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          std::vector<int> values(static_cast<size_t>(i * 37 % 9000), t * kEach + i);
          const int* on_gpu = staging.put(std::span<const int>(values));
          placed[static_cast<size_t>(t)].emplace_back(on_gpu, std::move(values));
        }
      });
  }
  staging.upload();
  for (const auto& thread : placed)
    for (const auto& [on_gpu, values] : thread) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(on_gpu) % 64, 0U);
      ASSERT_TRUE(std::equal(values.begin(), values.end(), on_gpu));
    }
}

TEST(Staging, OneThingMayBeLargerThanAChunk) {
  auto backend = std::make_shared<test::FakeBackend>();
  Device gpu(0, backend);
  Staging staging(gpu, backend->make_stream(0));
  const std::vector<char> large(20 << 20, 'x');
  const char* on_gpu = staging.put(std::span<const char>(large));
  staging.upload();
  EXPECT_EQ(std::memcmp(on_gpu, large.data(), large.size()), 0);
}

}  // namespace
}  // namespace penstock::device

#include "core/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include <penstock/error.h>

// Under AddressSanitizer an allocation that cannot be had aborts the program unless this is asked for.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace penstock {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(Arena, PiecesAreAlignedAndApart) {
  Arena arena;
  std::vector<std::pair<std::byte*, size_t>> pieces;
  for (size_t bytes :
       {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{100'000}, size_t{3}, 2 * kMiB}) {
    std::byte* piece = arena.take(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % 64, 0u);
    std::memset(piece, static_cast<int>(pieces.size() + 1), bytes);
    pieces.emplace_back(piece, bytes);
  }
  for (size_t i = 0; i < pieces.size(); ++i)
    for (size_t k = 0; k < pieces[i].second; ++k)
      ASSERT_EQ(pieces[i].first[k], static_cast<std::byte>(i + 1)) << "piece " << i << " was overwritten";
  std::set<std::byte*> distinct;
  for (const auto& [piece, bytes] : pieces) EXPECT_TRUE(distinct.insert(piece).second);
}

TEST(Arena, TheNextSampleGetsTheSameMemory) {
  Arena arena;
  const auto take = [&] {
    return std::vector{arena.take(50'000), arena.take(200'000), arena.take(7), arena.take(kMiB)};
  };
  take();
  arena.reset();  // several chunks become one
  const auto first = take();
  const size_t capacity = arena.capacity();
  for (int i = 0; i < 1000; ++i) {
    arena.reset();
    ASSERT_EQ(take(), first);
  }
  EXPECT_EQ(arena.capacity(), capacity);
  EXPECT_LT(capacity, 2 * (50'000 + 200'000 + kMiB));
}

TEST(Arena, OneHugeSampleIsForgottenAfterAWhile) {
  Arena arena;
  arena.take(100 * kMiB);
  int resets = 0;
  for (; arena.capacity() > kMiB && resets < 2000; ++resets) {
    arena.reset();
    arena.take(1000);
  }
  EXPECT_LE(arena.capacity(), kMiB);
  EXPECT_GT(resets, 100) << "shrinking at once would allocate again for the next large sample";
}

TEST(Arena, LargeSamplesNowAndThenKeepTheirMemory) {
  Arena arena;
  for (int i = 0; i < 2000; ++i) {
    arena.take(i % 100 == 0 ? 100 * kMiB : 1000);
    arena.reset();
    ASSERT_GE(arena.capacity(), 100 * kMiB);
  }
}

TEST(Arena, ModestMemoryIsNeverGivenBack) {
  Arena arena;
  arena.take(4 * kMiB);
  for (int i = 0; i < 2000; ++i) {
    arena.reset();
    arena.take(10);
  }
  EXPECT_GE(arena.capacity(), 4 * kMiB);
}

TEST(Arena, WhatCannotBeHadLeavesItUsable) {
  Arena arena;
  arena.take(kMiB);
  arena.take(kMiB);
  EXPECT_THROW(arena.take(~size_t{0}), OutOfMemory);
  EXPECT_THROW(arena.take(size_t{1} << 60), OutOfMemory);
  arena.reset();
  EXPECT_NE(arena.take(2 * kMiB), nullptr);
  EXPECT_LT(arena.capacity(), 4 * kMiB);
}

}  // namespace
}  // namespace penstock

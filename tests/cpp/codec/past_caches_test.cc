#include "codec/past_caches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/instruction_sets.h"

namespace penstock::codec {
namespace {

void expect_copies() {
  for (const size_t size : {0, 1, 63, 64, 65, 1000, 20'001})
    for (const size_t offset : {0, 1}) {
      std::vector<uint8_t> from(size + offset), memory(size + 128, 0xEE);
      std::iota(from.begin(), from.end(), uint8_t{1});
      uint8_t* const to = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64);
      copy_past_caches(std::span(from).subspan(offset), to);
      EXPECT_TRUE(std::equal(from.begin() + static_cast<std::ptrdiff_t>(offset), from.end(), to)) << size;
      EXPECT_EQ(to[size], 0xEE) << size;
    }
}

TEST(PastCaches, JustThoseBytesArrive) { test::with_every_instruction_set(expect_copies); }

}  // namespace
}  // namespace penstock::codec

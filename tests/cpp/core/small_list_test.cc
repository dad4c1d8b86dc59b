#include "core/small_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>

namespace penstock {
namespace {

TEST(SmallList, HoldsWhatWasPutIntoItUpToItsLimit) {
  SmallList<int, 3> list;
  EXPECT_TRUE(list.empty());
  for (int i : {4, 5, 6}) list.push_back(i);
  EXPECT_TRUE(std::ranges::equal(list, std::array{4, 5, 6}));
  EXPECT_EQ(std::span<const int>(list).size(), 3u);
  EXPECT_EQ(list.back(), 6);
  EXPECT_THROW(list.push_back(7), InternalError);
  EXPECT_EQ(list.size(), 3u);
}

TEST(SmallList, MayBeginWithEqualItems) {
  const SmallList<float, 3> list(2, 0.5f);
  EXPECT_TRUE(std::ranges::equal(list, std::array{0.5f, 0.5f}));
  EXPECT_THROW((SmallList<float, 3>(4, 0.0f)), InternalError);
}

}  // namespace
}  // namespace penstock

#include "device/idle_events.h"

#include <gtest/gtest.h>

namespace penstock::device {
namespace {

TEST(IdleEvents, EachGpuGetsItsOwnBack) {
  IdleEvents idle;
  int first = 0, second = 0;
  EXPECT_EQ(idle.take(0), nullptr);
  idle.made(&first, 0);
  idle.made(&second, 1);
  EXPECT_EQ(idle.take(0), nullptr);  // it is in use
  idle.give_back(&first);
  idle.give_back(&second);
  EXPECT_EQ(idle.take(1), &second);
  EXPECT_EQ(idle.take(1), nullptr);
  EXPECT_EQ(idle.take(0), &first);
  EXPECT_EQ(idle.take(0), nullptr);
}

}  // namespace
}  // namespace penstock::device

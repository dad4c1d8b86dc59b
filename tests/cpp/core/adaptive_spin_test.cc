#include "core/adaptive_spin.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;

/// How often look() asks whether something that comes with the third question has come.
int asked(const AdaptiveSpin& spin) {
  int count = 0;
  spin.look(AdaptiveSpin::Clock::now(), [&] { return ++count == 3; });
  return count;
}

TEST(AdaptiveSpin, LooksUntilSomethingComes) { EXPECT_EQ(asked(AdaptiveSpin(hours(1), 16)), 3); }

TEST(AdaptiveSpin, DoesNotLookAfterALongWaitUntilOneWasShort) {
  AdaptiveSpin spin(hours(1), 16);
  spin.ended(AdaptiveSpin::Clock::now() - hours(2));
  EXPECT_EQ(asked(spin), 0);
  spin.ended(AdaptiveSpin::Clock::now());
  EXPECT_EQ(asked(spin), 3);
}

TEST(AdaptiveSpin, DoesNotLookWhereCoresAreFew) { EXPECT_EQ(asked(AdaptiveSpin(hours(1), 2)), 0); }

TEST(AdaptiveSpin, EndsWhenNothingComes) {
  const AdaptiveSpin spin(std::chrono::milliseconds(5), 16);
  const auto began = AdaptiveSpin::Clock::now();
  spin.look(began, [] { return false; });
  EXPECT_GE(AdaptiveSpin::Clock::now() - began, std::chrono::milliseconds(5));
}

}  // namespace
}  // namespace penstock

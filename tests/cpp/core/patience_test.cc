#include "core/patience.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;

/// How often look() asks whether something that comes with the third question has come.
int asked(const Patience& patience) {
  int count = 0;
  patience.look(Patience::Clock::now(), [&] { return ++count == 3; });
  return count;
}

TEST(Patience, LooksUntilSomethingComes) { EXPECT_EQ(asked(Patience(hours(1), 16)), 3); }

TEST(Patience, DoesNotLookAfterALongWaitUntilOneWasShort) {
  Patience patience(hours(1), 16);
  patience.ended(Patience::Clock::now() - hours(2));
  EXPECT_EQ(asked(patience), 0);
  patience.ended(Patience::Clock::now());
  EXPECT_EQ(asked(patience), 3);
}

TEST(Patience, DoesNotLookWhereCoresAreFew) { EXPECT_EQ(asked(Patience(hours(1), 2)), 0); }

TEST(Patience, EndsWhenNothingComes) {
  const Patience patience(std::chrono::milliseconds(5), 16);
  const auto began = Patience::Clock::now();
  patience.look(began, [] { return false; });
  EXPECT_GE(Patience::Clock::now() - began, std::chrono::milliseconds(5));
}

}  // namespace
}  // namespace penstock

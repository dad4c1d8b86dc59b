#include "pipeline/sharing.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Pace, IsThatOfTheLastSamples) {
  Pace pace;
  EXPECT_EQ(pace.update(0, 0), 0);
  EXPECT_EQ(pace.update(1'000'000, 10), 100'000);  // the first ones
  int64_t each = 0;
  for (int i = 1; i <= 20; ++i) each = pace.update(1'000'000 + i * 40'000, 10 + i * 4);
  EXPECT_NEAR(static_cast<double>(each), 10'000, 300);
  EXPECT_EQ(pace.update(2'000'000, 90), each) << "no sample was made since";
  EXPECT_EQ(pace.update(1'000'000, 95), each) << "who counted before, and comes later";
}

TEST(Sharing, NothingIsKnownOfTheFirstBatch) {
  EXPECT_EQ(share(256, 0, 16, true).chunk, 1);
  EXPECT_EQ(share(256, 0, 16, true).workers, INT_MAX);
}

TEST(Sharing, WorkersComeBackBeforeTheyAreLongAtIt) {
  EXPECT_EQ(share(256, 10'000, 16, false).chunk, 15);    // 0.15 ms
  EXPECT_EQ(share(256, 2'000'000, 16, false).chunk, 1);  // a slow one each
  EXPECT_EQ(share(10'000, 1, 2, false).chunk, 32);
}

TEST(Sharing, ASmallBatchIsForAllUnlessThereIsTooLittleOfIt) {
  EXPECT_EQ(share(16, 50'000, 8, false).chunk, 2);
  EXPECT_EQ(share(8, 5'000, 8, false).chunk, 4);  // 0.02 ms
}

TEST(Sharing, ABatchThatIsWaitedForWakesAll) { EXPECT_EQ(share(256, 10'000, 16, false).workers, INT_MAX); }

TEST(Sharing, ABatchAheadWakesWhomItIsWorthWaking) {
  EXPECT_EQ(share(256, 10'000, 16, true).workers, 3);      // 2.6 ms
  EXPECT_EQ(share(200, 2'000, 16, true).workers, 1);       // 0.4 ms
  EXPECT_EQ(share(200, 2'000, 64, true).chunk, 32);        // he has all of it
  EXPECT_GE(share(256, 4'000'000, 64, true).workers, 64);  // decoded by the CPU: all
  EXPECT_GT(share(1'000'000, 60'000'000'000, 64, true).workers, 64);
}

}  // namespace
}  // namespace penstock

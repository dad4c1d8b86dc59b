#include "ops/image/random_window.h"

#include <gtest/gtest.h>

#include <penstock/error.h>

namespace penstock {
namespace {

TEST(RandomWindow, StaysInsideTheImageAndTheRanges) {
  const RandomWindowArgs args;
  for (uint64_t sample = 0; sample < 2000; ++sample) {
    Random random(1, 0, sample);
    const Extent w = random_window(random, 375, 500, args);
    ASSERT_GE(w.y, 0);
    ASSERT_GE(w.x, 0);
    ASSERT_LE(w.y + w.h, 375);
    ASSERT_LE(w.x + w.w, 500);
    const double ratio = static_cast<double>(w.w) / static_cast<double>(w.h);
    ASSERT_GE(ratio, 0.7499);
    ASSERT_LE(ratio, 1.3334);
    ASSERT_GE(static_cast<double>(w.w * w.h) / (375 * 500), 0.079);
  }
}

TEST(RandomWindow, CoversTheWholeImageInTheMean) {
  const RandomWindowArgs args;
  double y = 0, x = 0, area = 0;
  const int n = 4000;
  for (uint64_t sample = 0; sample < n; ++sample) {
    Random random(2, 0, sample);
    const Extent w = random_window(random, 400, 400, args);
    y += static_cast<double>(w.y) + static_cast<double>(w.h) / 2;
    x += static_cast<double>(w.x) + static_cast<double>(w.w) / 2;
    area += static_cast<double>(w.h * w.w) / (400 * 400);
  }
  EXPECT_NEAR(y / n, 200, 4);
  EXPECT_NEAR(x / n, 200, 4);
  EXPECT_NEAR(area / n, 0.5, 0.05);  // a little below the mean of the range: large windows are refused more often
}

TEST(RandomWindow, IsAFunctionOfItsRandomNumbers) {
  const RandomWindowArgs args;
  Random a(3, 1, 7), b(3, 1, 7), other(3, 1, 8);
  const Extent first = random_window(a, 300, 200, args);
  EXPECT_EQ(first, random_window(b, 300, 200, args));
  EXPECT_NE(first, random_window(other, 300, 200, args));
}

TEST(RandomWindow, ElongatedImagesGetTheBestStripThereIs) {
  RandomWindowArgs args;
  args.random_area = {0.5f, 1.0f};
  Random random(4, 0, 0);
  const Extent wide = random_window(random, 30, 3000, args);
  EXPECT_EQ(wide.h, 30);
  EXPECT_EQ(wide.w, 40);
  const Extent high = random_window(random, 3000, 30, args);
  EXPECT_EQ(high.h, 40);
  EXPECT_EQ(high.w, 30);
}

TEST(RandomWindow, FallsBackToTheImageWhenNoAttemptFits) {
  RandomWindowArgs args;
  args.random_aspect_ratio = {1.0f, 1.0f};
  args.random_area = {0.9f, 1.0f};
  args.num_attempts = 1;
  int whole = 0;
  for (uint64_t sample = 0; sample < 50; ++sample) {
    Random random(5, 0, sample);
    const Extent w = random_window(random, 100, 110, args);
    ASSERT_EQ(w.h, w.w);
    whole += w.h == 100;
  }
  EXPECT_GT(whole, 0);
}

TEST(RandomWindow, TinyAndEmptyImages) {
  const RandomWindowArgs args;
  Random random(6, 0, 0);
  EXPECT_EQ(random_window(random, 1, 1, args), (Extent{0, 0, 1, 1}));
  EXPECT_EQ(random_window(random, 0, 5, args), Extent{});
}

TEST(RandomWindow, RefusesWrongRanges) {
  RandomWindowArgs args;
  args.random_area = {0.9f, 0.1f};
  EXPECT_THROW(check_random_window(args), ArgumentError);
  args = {};
  args.random_aspect_ratio = {1.0f};
  EXPECT_THROW(check_random_window(args), ArgumentError);
  args = {};
  args.random_aspect_ratio = {0.0f, 1.0f};
  EXPECT_THROW(check_random_window(args), ArgumentError);
  args = {};
  args.num_attempts = 0;
  EXPECT_THROW(check_random_window(args), ArgumentError);
}

}  // namespace
}  // namespace penstock

#include "ops/geometry/convex_body.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// With a, b and c of the length 1.
HalfSpace half_space(double a, double b, double c, double d) {
  const double length = std::hypot(a, b, c);
  return {a / length, b / length, c / length, d / length};
}

TEST(ConvexBody, ABoxHasItsVolumeAndCorners) {
  const ConvexBody box({1, 2, 3}, {3, 5, 8});
  EXPECT_DOUBLE_EQ(box.volume(), 30);
  EXPECT_EQ(box.corners().size(), 24U) << "four on each of six faces";
  for (const Place& corner : box.corners()) {
    EXPECT_TRUE(corner[0] == 1 || corner[0] == 3);
    EXPECT_TRUE(corner[1] == 2 || corner[1] == 5);
    EXPECT_TRUE(corner[2] == 3 || corner[2] == 8);
  }
}

TEST(ConvexBody, HalfSpacesLeaveTheirPart) {
  ConvexBody box({0, 0, 0}, {4, 4, 4});
  box.cut(half_space(1, 0, 0, 0));
  EXPECT_DOUBLE_EQ(box.volume(), 64) << "a border along a face cuts nothing";
  box.cut(half_space(1, 1, 0, -4));
  EXPECT_NEAR(box.volume(), 32, 1e-9) << "x + y >= 4";
  box.cut(half_space(1, -1, 0, 0));
  EXPECT_NEAR(box.volume(), 16, 1e-9) << "x >= y";
  box.cut(half_space(0, 0, -1, 1));
  EXPECT_NEAR(box.volume(), 4, 1e-9) << "z <= 1";
  for (const Place& corner : box.corners()) EXPECT_GE(corner[0] + 1e-9, 2);
  box.cut(half_space(-1, 0, 0, 1));
  EXPECT_TRUE(box.corners().empty());
  EXPECT_EQ(box.volume(), 0);
}

TEST(ConvexBody, AFlatBoxIsCutAsWell) {
  ConvexBody plate({0, 0, 2}, {4, 4, 2});
  plate.cut(half_space(1, 0, 0, -1));
  plate.cut(half_space(0, 1, 1, -3));
  EXPECT_EQ(plate.volume(), 0);
  ASSERT_FALSE(plate.corners().empty());
  for (const Place& corner : plate.corners()) {
    EXPECT_GE(corner[0], 1);
    EXPECT_GE(corner[1] + 1e-12, 1);
    EXPECT_EQ(corner[2], 2);
  }
}

/// Of so many places in the box, those that all half spaces hold: their share, and the ends of where they lie.
struct Counted {
  double share = 0;
  Place low{}, high{};
};

Counted count(std::mt19937& random, double extent, const std::vector<HalfSpace>& all) {
  constexpr int kPlaces = 40000;
  std::uniform_real_distribution<double> along(0, extent);
  Counted made;
  int inside = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const Place place = {along(random), along(random), along(random)};
    bool held = true;
    for (const HalfSpace& one : all) held = held && depth_in(one, place) >= 0;
    if (!held) continue;
    for (size_t axis = 0; axis < 3; ++axis) {
      made.low[axis] = inside == 0 ? place[axis] : std::min(made.low[axis], place[axis]);
      made.high[axis] = inside == 0 ? place[axis] : std::max(made.high[axis], place[axis]);
    }
    ++inside;
  }
  made.share = static_cast<double>(inside) / kPlaces;
  return made;
}

TEST(ConvexBody, HasWhatIsCountedInIt) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int compared = 0;
  for (int trial = 0; trial < 60; ++trial) {
    constexpr double kExtent = 10;
    ConvexBody body({0, 0, 0}, {kExtent, kExtent, kExtent});
    std::vector<HalfSpace> all;
    for (int i = 0; i < 1 + trial % 6; ++i) {
      HalfSpace one = half_space(normal(random), normal(random), normal(random), 0);
      one[3] = -depth_in(one, {5, 5, 5}) + 1 + 2 * std::abs(normal(random));  // holds the middle
      all.push_back(one);
      body.cut(one);
    }
    const Counted counted = count(random, kExtent, all);
    EXPECT_NEAR(body.volume() / 1000, counted.share, .015) << trial;
    for (const Place& corner : body.corners()) {
      for (const HalfSpace& one : all) EXPECT_GE(depth_in(one, corner), -1e-6);
      ++compared;
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      double low = kExtent, high = 0;
      for (const Place& corner : body.corners()) low = std::min(low, corner[axis]), high = std::max(high, corner[axis]);
      EXPECT_LE(low, counted.low[axis]);
      EXPECT_GE(high, counted.high[axis]);
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace penstock

#include "ops/geometry/picture_geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <penstock/error.h>

#include "ops/geometry/homography.h"

namespace penstock {
namespace {

/// The left half of a picture of 100 x 60, on a canvas of 200 x 120 from (50, 30) on, mirrored.
PictureGeometry cut_and_laid() {
  PictureGeometry geometry;
  geometry.follow({.to_output = of_plane({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), .in = {100, 60}, .out = {50, 60}});
  geometry.follow({.to_output = of_plane({{{1, 0, 50}, {0, 1, 30}, {0, 0, 1}}}), .in = {50, 60}, .out = {200, 120}});
  geometry.follow({.to_output = of_plane({{{-1, 0, 200}, {0, 1, 0}, {0, 0, 1}}}), .in = {200, 120}, .out = {200, 120}});
  return geometry;
}

TEST(PictureGeometry, SeesWhatNoOperatorCutOff) {
  const PictureGeometry geometry = cut_and_laid();
  EXPECT_EQ(geometry.moved({10, 20}), (Place{140, 50}));
  EXPECT_TRUE(geometry.is_seen({10, 20}));
  EXPECT_FALSE(geometry.is_seen({60, 20})) << "there is room for it on the canvas, but it was cut off before";
  EXPECT_TRUE(geometry.mirrors());
  std::vector<Place> polygon = {{40, 10}, {70, 10}, {70, 20}, {40, 20}};
  geometry.cut(polygon);
  EXPECT_EQ(twice_area(polygon), 2 * 10 * 10);
  polygon = {{60, 10}, {70, 10}, {70, 20}};
  geometry.cut(polygon);
  EXPECT_TRUE(polygon.empty());
}

TEST(PictureGeometry, ComesBackFromATensorAsItWas) {
  const PictureGeometry geometry = cut_and_laid();
  TensorView tensor{geometry.description()};
  std::vector<double> rows(static_cast<size_t>(tensor.shape.volume()));
  geometry.write(rows.data());
  tensor.data = reinterpret_cast<std::byte*>(rows.data());
  const PictureGeometry again = PictureGeometry::read(tensor);
  EXPECT_EQ(again.to_picture(), geometry.to_picture());
  EXPECT_EQ(again.source(), (Place{100, 60}));
  EXPECT_EQ(again.picture(), (Place{200, 120}));
  EXPECT_TRUE(std::ranges::equal(again.seen(), geometry.seen()));
  for (const Shape& wrong : {Shape{5, 4}, Shape{8, 3}, Shape{24}}) {
    tensor.shape = wrong;
    EXPECT_THROW(PictureGeometry::read(tensor), ArgumentError);
  }
}

TEST(PictureGeometry, RefusesAPictureOfAnotherSize) {
  PictureGeometry geometry = cut_and_laid();
  EXPECT_THROW(geometry.follow({.to_output = PixelMap{}.to_output, .in = {120, 200}, .out = {9, 9}}), DataError);
}

TEST(PictureGeometry, NothingIsSeenBehindAHorizon) {
  PictureGeometry geometry;
  geometry.follow(looked_up(of_plane({{{1, 0, 0}, {0, 1, 0}, {.02, 0, 1}}}), {100, 100}, {100, 100}));
  EXPECT_TRUE(geometry.is_seen({20, 20}));
  EXPECT_FALSE(geometry.is_seen({60, 20}));
  EXPECT_TRUE(std::isnan(geometry.moved({60, 20})[0]));
}

TEST(PictureGeometry, AMapOfNegativeWeightsIsTheSameOne) {
  const Homography map = of_plane({{{2, 0, 4}, {0, 2, 6}, {0, .001, 1}}});
  Homography negative = map;
  for (auto& row : negative)
    for (double& one : row) one = -one;
  PictureGeometry one, other;
  one.follow(looked_up(map, {100, 100}, {100, 100}));
  other.follow(looked_up(negative, {100, 100}, {100, 100}));
  EXPECT_EQ(one.moved({30, 40}), other.moved({30, 40}));
  EXPECT_TRUE(other.is_seen({30, 40}));
}

TEST(PixelAxis, IsOneOfPicturesAndVolumes) {
  EXPECT_EQ(pixel_axis({DType::kUInt8, {3, 4, 5, 1}, "FHWC"}, 'W'), 2);
  EXPECT_EQ(pixel_axis({DType::kUInt8, {1, 3, 4, 5}, "CDHW"}, 'D'), 1);
  EXPECT_EQ(pixel_extents({DType::kUInt8, {3, 4, 5, 1}, "FHWC"}), (Place{5, 4}));
  EXPECT_EQ(pixel_extents({DType::kUInt8, {3, 4, 5, 1}, "DHWC"}), (Place{5, 4, 3}));
  EXPECT_THROW(pixel_axis({DType::kUInt8, {3, 4}, {}}, 'H'), ArgumentError);
}

/// The volume of 10 x 20 x 30 (width, height, depth), its planes 5 to 25 in reverse.
PictureGeometry turned_volume() {
  PictureGeometry geometry;
  PixelMap map{.in = {10, 20, 30}, .out = {10, 20, 20}, .axes = 3};
  map.to_output[2] = {0, 0, -1, 25};
  geometry.follow(map);
  return geometry;
}

TEST(PictureGeometry, KnowsWhereVolumesHaveTheirPlanes) {
  const PictureGeometry geometry = turned_volume();
  EXPECT_EQ(geometry.axes(), 3);
  EXPECT_EQ(geometry.moved({3, 4, 6}), (Place{3, 4, 19}));
  EXPECT_TRUE(geometry.is_seen({3, 4, 6}));
  EXPECT_FALSE(geometry.is_seen({3, 4, 4})) << "before the first plane that is left";
  EXPECT_TRUE(geometry.mirrors());
  TensorView tensor{geometry.description()};
  std::vector<double> rows(static_cast<size_t>(tensor.shape.volume()));
  geometry.write(rows.data());
  tensor.data = reinterpret_cast<std::byte*>(rows.data());
  const PictureGeometry again = PictureGeometry::read(tensor);
  EXPECT_EQ(again.axes(), 3);
  EXPECT_EQ(again.picture(), (Place{10, 20, 20}));
  EXPECT_EQ(again.to_picture(), geometry.to_picture());
  EXPECT_TRUE(std::ranges::equal(again.seen(), geometry.seen()));
}

TEST(PictureGeometry, APictureIsNoVolume) {
  PictureGeometry geometry;
  geometry.begin({10, 20});
  EXPECT_THROW(geometry.follow({.in = {10, 20}, .out = {10, 20}, .axes = 3}), DataError);
}

TEST(Homography, OfVolumesHasItsInverse) {
  const Homography map = {{{.5, .25, 0, 3}, {-2, 1, .5, 4}, {0, 1, 3, -5}, {0, 0, 0, 1}}};
  const Homography one = product(map, inverse(map));
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 4; ++j) EXPECT_NEAR(one[i][j], i == j ? 1 : 0, 1e-12) << i << ", " << j;
  EXPECT_NEAR(determinant(map), .5 * (3 - .5) - .25 * (-6), 1e-12);
  Homography flat = map;
  flat[2] = {};
  EXPECT_THROW(inverse(flat), ArgumentError);
}

}  // namespace
}  // namespace penstock

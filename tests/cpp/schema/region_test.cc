#include "schema/region.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

Region region(std::initializer_list<std::pair<int64_t, int64_t>> ranges) {
  Shape shape;
  for (size_t i = 0; i < ranges.size(); ++i) shape.push_back(1);
  Region made(shape);
  int axis = 0;
  for (const auto& [begin, end] : ranges) made.set(axis++, begin, end);
  return made;
}

Region united(Region a, const Region& b) {
  a.unite(b);
  return a;
}

TEST(Region, UnionHoldsBothAndIgnoresEmptyParts) {
  const Region a = region({{1, 3}, {2, 4}, {5, 6}}), empty = region({{1, 3}, {4, 4}, {5, 6}});
  for (const Region& nothing : {Region(), empty}) {
    EXPECT_TRUE(nothing.empty());
    EXPECT_EQ(united(a, nothing), a);
    EXPECT_EQ(united(nothing, a), a);
  }
  EXPECT_EQ(united(a, region({{0, 2}, {3, 9}, {5, 6}})), region({{0, 3}, {2, 9}, {5, 6}}));
}

TEST(Region, AScalarIsSomethingAndATensorWithoutElementsNothing) {
  EXPECT_FALSE(Region(Shape{}).empty());
  EXPECT_NE(Region(Shape{}), Region());
  EXPECT_TRUE(Region(Shape{3, 0}).empty());
  EXPECT_EQ(united(Region(Shape{}), Region()), Region(Shape{}));
}

TEST(Region, CutsEachAxis) {
  const TensorDesc volume{DType::kInt16, {4, 5, 6}, "DHW"};
  EXPECT_EQ(cut(volume, region({{1, 3}, {0, 5}, {2, 3}})).shape, (Shape{2, 5, 1}));
  EXPECT_EQ(cut(volume, whole(volume)), volume);
  EXPECT_EQ(cut(volume, {}).shape.volume(), 0);
  EXPECT_EQ(bytes_of(volume, region({{1, 3}, {0, 5}, {2, 3}})), 20u);
}

TEST(Region, GainsAndLosesTheFirstAxis) {
  const Region picture = region({{1, 3}, {2, 4}}), video = region({{5, 7}, {1, 3}, {2, 4}});
  EXPECT_EQ(picture.with_first(5, 7), video);
  EXPECT_EQ(video.without_first(), picture);
  EXPECT_EQ(Region().without_first(), Region());
  EXPECT_EQ(Region().with_first(0, 2), Region());
}

TEST(PlaneRegion, IsTheRowsAndColumnsOfARegion) {
  const TensorDesc film{DType::kUInt8, {3, 8, 9, 2}, "FHWC"};
  const Region part = region({{1, 2}, {3, 5}, {4, 9}, {0, 1}});
  EXPECT_EQ(plane_of(part, film.layout), (PlaneRegion{3, 4, 5, 9}));
  EXPECT_EQ(in_plane({3, 4, 5, 9}, film), region({{0, 3}, {3, 5}, {4, 9}, {0, 2}}));
  EXPECT_EQ(plane_of(region({{2, 7}}), Layout()), (PlaneRegion{0, 0, 1, 1}));
  EXPECT_TRUE(plane_of({}, film.layout).empty());
  EXPECT_EQ(in_plane({3, 3, 3, 5}, film), Region());
}

}  // namespace
}  // namespace penstock

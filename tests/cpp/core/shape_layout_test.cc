#include <gtest/gtest.h>

#include <vector>

#include <penstock/error.h>
#include <penstock/layout.h>
#include <penstock/shape.h>

namespace penstock {
namespace {

TEST(Shape, VolumeIsTheProduct) {
  EXPECT_EQ(Shape{}.volume(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).volume(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).volume(), 0);
}

TEST(Shape, VolumeBeyondMemoryIsRefused) {
  const int64_t k = int64_t{1} << 32;
  EXPECT_THROW((Shape{k, k}).volume(), ArgumentError);
  EXPECT_THROW((Shape{k, k, 0}).volume(), ArgumentError);
  EXPECT_THROW((Shape{int64_t{1} << 60}).volume(), ArgumentError);
  EXPECT_EQ((Shape{k, k / 64}).volume(), int64_t{1} << 58);
}

TEST(Shape, InsertAndErase) {
  Shape shape{3, 4};
  shape.insert(0, 2);
  shape.insert(3, 5);
  EXPECT_EQ(shape, (Shape{2, 3, 4, 5}));
  shape.erase(1);
  shape.erase(2);
  EXPECT_EQ(shape, (Shape{2, 4}));
}

TEST(Shape, HoldsEightDimensions) {
  Shape shape{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(shape.ndim(), 8);
  EXPECT_THROW(shape.push_back(9), ArgumentError);
  EXPECT_THROW(Shape(std::vector<int64_t>(9, 1)), ArgumentError);
}

TEST(Shape, ErasedExtentsDoNotCount) {
  Shape shape{2, 3};
  shape.erase(1);
  EXPECT_EQ(shape, Shape{2});
  EXPECT_NE(shape, (Shape{2, 3}));
}

TEST(Shape, PrintsAsATuple) {
  EXPECT_EQ(to_string(Shape{}), "()");
  EXPECT_EQ(to_string(Shape{3}), "(3,)");
  EXPECT_EQ(to_string(Shape{3, 224, 224}), "(3, 224, 224)");
}

TEST(Layout, FindsLetters) {
  const Layout layout = "HWC";
  EXPECT_EQ(layout.ndim(), 3);
  EXPECT_EQ(layout.find('C'), 2);
  EXPECT_EQ(layout.find('N'), -1);
  EXPECT_TRUE(layout.has('H'));
  EXPECT_TRUE(Layout().empty());
}

TEST(Layout, InsertAndErase) {
  Layout layout = "HW";
  layout.insert(2, 'C');
  layout.insert(0, 'F');
  EXPECT_EQ(layout, "FHWC");
  layout.erase(1);
  EXPECT_EQ(layout, "FWC");
  EXPECT_NE(layout, "FWCH");
}

TEST(Layout, HoldsEightLetters) {
  EXPECT_EQ(Layout("ABCDEFGH").ndim(), 8);
  EXPECT_THROW(Layout("ABCDEFGHI"), ArgumentError);
}

TEST(Layout, Permutations) {
  EXPECT_TRUE(is_permutation("HWC", "CHW"));
  EXPECT_FALSE(is_permutation("HWC", "HW"));
  EXPECT_FALSE(is_permutation("HHC", "HCC"));
}

}  // namespace
}  // namespace penstock

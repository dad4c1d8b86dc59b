#include <gtest/gtest.h>

#include "core/check.h"
#include "ops/image/crop_window.h"
#include "ops/image/out_of_bounds.h"
#include "ops/image/slice_window.h"

namespace penstock {
namespace {

const TensorDesc kImage{DType::kUInt8, {10, 15, 3}, "HWC"};

TEST(CropWindow, CentreIsRoundedHalfAwayFromZero) {
  EXPECT_EQ(crop_window({.crop = {5, 10}}, kImage), (CropWindow{{3, 3, 0}, {5, 10, 3}}));
  EXPECT_EQ(crop_window({.crop = {5, 10}, .rounding = "truncate"}, kImage), (CropWindow{{2, 2, 0}, {5, 10, 3}}));
}

TEST(CropWindow, WiderThanTheImageSticksOutOnBothSides) {
  EXPECT_EQ(crop_window({.crop = {15, 15}}, kImage), (CropWindow{{-3, 0, 0}, {15, 15, 3}}));
  EXPECT_EQ(crop_window({.crop = {15, 15}, .rounding = "truncate"}, kImage).anchor[0], -2);
}

TEST(CropWindow, AbsentOrZeroExtentsKeepTheAxis) {
  EXPECT_EQ(crop_window({}, kImage), (CropWindow{{0, 0, 0}, {10, 15, 3}}));
  EXPECT_EQ(crop_window({.crop = {-1, 2.9f}}, kImage).extent, (Shape{10, 2, 3}));
  EXPECT_EQ(crop_window({.crop_h = 4.0f, .crop_w = 0.0f}, kImage).extent, (Shape{4, 15, 3}));
}

TEST(CropWindow, DepthMeansFramesWhereThereIsNoDepth) {
  const CropArgs args{.crop = {2, 3, 4}, .crop_pos_x = 0, .crop_pos_y = 0, .crop_pos_z = 1};
  EXPECT_EQ(crop_window(args, {DType::kUInt8, {9, 10, 15, 3}, "FHWC"}), (CropWindow{{7, 0, 0, 0}, {2, 3, 4, 3}}));
  EXPECT_EQ(crop_window(args, {DType::kUInt8, {9, 3, 8, 10, 15}, "FCDHW"}),
            (CropWindow{{0, 0, 6, 0, 0}, {9, 3, 2, 3, 4}}));
}

TEST(CropWindow, RefusesContradictions) {
  EXPECT_THROW(crop_window({.crop = {5}}, kImage), ArgumentError);
  EXPECT_THROW(crop_window({.crop = {5, 5}, .crop_pos_x = 1.5f}, kImage), ArgumentError);
  EXPECT_THROW(crop_window({.rounding = "floor"}, kImage), ArgumentError);
  const auto check = [](std::map<std::string, ArgValue> args) { check_crop_args({.args = std::move(args)}, {}); };
  EXPECT_THROW(check({{"crop_h", 3.0}}), ArgumentError);
  EXPECT_THROW(check({{"crop_d", 3.0}}), ArgumentError);
  EXPECT_THROW(check({{"crop_h", 3.0}, {"crop_w", 3.0}, {"crop", 3.0}}), ArgumentError);
  EXPECT_NO_THROW(check({{"crop_h", 3.0}, {"crop_w", 3.0}}));
}

TEST(OutOfBounds, ErrorQuotesShapeAnchorAndSize) {
  CropWindow window{{-1, 2, 0}, {7, 2, 3}};
  try {
    bound_window(OutOfBounds::kError, {5, 6, 3}, window);
    FAIL();
  } catch (const DataError& e) {
    EXPECT_NE(e.message().find("Slice can't be placed out of bounds with current policy. Got: input_shape={5 x 6 x 3}, "
                               "slice_anchor={-1 x 2 x 0}, slice_shape={7 x 2 x 3}"),
              std::string::npos)
        << e.message();
  }
}

TEST(OutOfBounds, TrimIntersects) {
  CropWindow window{{-1, 2, 9}, {7, 2, 3}};
  bound_window(OutOfBounds::kTrim, {5, 6, 3}, window);
  EXPECT_EQ(window, (CropWindow{{0, 2, 3}, {5, 2, 0}}));
}

TEST(OutOfBounds, PoliciesRepeatTheInputAsNumPyPads) {
  const auto line = [](OutOfBounds policy, int64_t extent) {
    std::vector<int64_t> list;
    for (int64_t i = -7; i < 8; ++i) list.push_back(source_index(policy, i, extent));
    return list;
  };
  using V = std::vector<int64_t>;
  EXPECT_EQ(line(OutOfBounds::kPad, 3), (V{-1, -1, -1, -1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1}));
  EXPECT_EQ(line(OutOfBounds::kEdge, 3), (V{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(line(OutOfBounds::kWrap, 3), (V{2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(line(OutOfBounds::kReflect101, 3), (V{1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1}));
  EXPECT_EQ(line(OutOfBounds::kReflect1001, 3), (V{0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1}));
  EXPECT_EQ(source_index(OutOfBounds::kReflect101, 5, 1), 0);
  EXPECT_EQ(source_index(OutOfBounds::kWrap, 5, 0), -1);
}

TEST(OutOfBounds, OnlySomeOperatorsRepeatTheInput) {
  EXPECT_EQ(out_of_bounds_policy("wrap", true), OutOfBounds::kWrap);
  EXPECT_EQ(out_of_bounds_policy("constant", false), OutOfBounds::kPad);
  EXPECT_THROW(out_of_bounds_policy("wrap", false), ArgumentError);
  EXPECT_THROW(out_of_bounds_policy("nonsense", true), ArgumentError);
}

CropWindow slice(const SliceArgs& args, std::map<std::string, ArgValue> given, const TensorDesc& input = kImage) {
  given.emplace("start", int64_t{0});
  return SliceWindow({.args = std::move(given), .num_inputs = 1})(args, Sample(), input);
}

TEST(SliceWindow, NamesSelectAxesXFirst) {
  EXPECT_EQ(slice({.start = {1, 2}, .shape = {3, 4}}, {}), (CropWindow{{2, 1, 0}, {4, 3, 3}}));
  EXPECT_EQ(slice({.start = {1, 2}, .end = {3, 4}, .axes = {0, -1}}, {{"axes", int64_t{0}}}),
            (CropWindow{{1, 0, 2}, {2, 15, 2}}));
}

TEST(SliceWindow, RelativeBoxesAreRoundedOnce) {
  // 0.25 * 10 = 2.5 -> 3 and (0.25 + 0.5) * 10 = 7.5 -> 8: five rows; a rounded size of its own would also move the
  // end.
  EXPECT_EQ(slice({.rel_start = {0.25f}, .rel_shape = {0.5f}, .axis_names = "H"},
                  {{"start", std::monostate()}, {"rel_start", 0.25}}),
            (CropWindow{{3, 0, 0}, {5, 15, 3}}));
  EXPECT_EQ(slice({.rel_end = {0.5f}, .axis_names = "W"}, {}), (CropWindow{{0, 0, 0}, {10, 8, 3}}));
}

TEST(SliceWindow, UnlabelledInputsCountRowsThenColumns) {
  EXPECT_EQ(slice({.start = {1}, .axis_names = "W"}, {}, {DType::kUInt8, {4, 5, 6}, {}}).anchor, (Shape{0, 1, 0}));
}

TEST(SliceWindow, RefusesWhatHasNoMeaning) {
  EXPECT_THROW(slice({.start = {1, 1}, .end = {0, 2}}, {}), ArgumentError);
  EXPECT_THROW(slice({.start = {1, 1}, .shape = {-1, 2}}, {}), ArgumentError);
  EXPECT_THROW(slice({.start = {1, 1, 1}}, {}), ArgumentError);
  EXPECT_THROW(slice({.start = {1}, .axis_names = "D"}, {}), ArgumentError);
  EXPECT_THROW(slice({.start = {1, 1}, .axis_names = "WW"}, {}), ArgumentError);
  EXPECT_THROW(slice({.start = {1}, .axes = {3}}, {{"axes", int64_t{3}}}), ArgumentError);
  EXPECT_THROW(slice({}, {{"rel_start", 0.0}}), ArgumentError);
  EXPECT_THROW(slice({}, {{"end", int64_t{1}}, {"shape", int64_t{1}}}), ArgumentError);
  EXPECT_THROW(SliceWindow({.num_inputs = 1}), ArgumentError);
  EXPECT_THROW(SliceWindow({.num_inputs = 2}), ArgumentError);
}

}  // namespace
}  // namespace penstock

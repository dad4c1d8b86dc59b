#include "../run_op.h"
#include "ops/boxes/affine_rows.h"
#include "ops/boxes/box.h"
#include "ops/boxes/window_search.h"

namespace penstock {
void register_bb_flip(Registry& r);
void register_box_encoder(Registry& r);
void register_random_bbox_crop(Registry& r);
namespace {

using test::Args;
using test::expect_in;
using test::Floats;
using test::HostTensor;
using test::message_of;
using test::registry_of;
using test::RunOp;

const Box kLeft{{0, 0, 0}, {.5f, 1, 1}}, kRight{{.25f, 0, 0}, {.75f, 1, 1}};

TEST(Boxes, WhatTwoShareIsInPartsOfBothTogether) {
  EXPECT_FLOAT_EQ(common_volume(kLeft, kRight, 2), .25f);
  EXPECT_FLOAT_EQ(intersection_over_union(kLeft, kRight, 2), .25f / .75f);
  EXPECT_EQ(intersection_over_union(kLeft, Box{{.5f, 0, 0}, {1, 1, 1}}, 2), 0);  // they touch
  EXPECT_EQ(intersection_over_union({}, {}, 2), 0);
}

TEST(Boxes, LayoutsNameEachEndOnce) {
  const float row[] = {.1f, .2f, .3f, .4f, .5f, .6f};
  const Box box = BoxLayout("xyzWHD", 3).read(row);
  EXPECT_FLOAT_EQ(box.high[2], .9f);
  float again[6];
  BoxLayout("DHWzyx", 3).write(box, again);
  EXPECT_FLOAT_EQ(again[0], .6f);
  EXPECT_FLOAT_EQ(again[5], .1f);
  for (const char* bad : {"", "xy", "xyXW", "xxXY", "xyXYZ", "xyXY "})
    EXPECT_THROW(BoxLayout(bad, 2), ArgumentError) << bad;
  EXPECT_THROW(BoxLayout("xyXY", 3), ArgumentError);
}

WindowRules rules() {
  WindowRules rules;
  rules.scaling = {.3f, .9f};
  rules.aspect_ratio = {.5f, 2};
  return rules;
}

TEST(WindowSearch, TheSameNumbersFindTheSameWindow) {
  const WindowRules wanted = rules();
  const WindowSearch search(wanted, 2, {}, {});
  const Box boxes[] = {kRight};
  for (uint64_t sample = 0; sample < 20; ++sample) {
    Random first(1, 2, sample), second(1, 2, sample);
    const FoundWindow a = search.find(first, boxes), b = search.find(second, boxes);
    EXPECT_EQ(a.window.low, b.window.low);
    EXPECT_EQ(a.kept, b.kept);
  }
}

TEST(WindowSearch, RatiosThatOnlyOneNumberSatisfiesAreMade) {
  WindowRules wanted = rules();
  wanted.aspect_ratio = {1, 1};
  wanted.allow_no_crop = false;
  const WindowSearch search(wanted, 2, Extents{640, 480, 0}, {});
  for (uint64_t sample = 0; sample < 50; ++sample) {
    Random random(1, 2, sample);
    const Box window = search.find(random, {}).window;
    EXPECT_NEAR(window.extent(0) * 640, window.extent(1) * 480, .01);
    EXPECT_LE(std::max(window.extent(0), window.extent(1)), .9f + 1e-5f);
  }
}

TEST(WindowSearch, ItEndsWithTheBestWindowOrAnError) {
  WindowRules wanted = rules();
  wanted.thresholds = {1};
  wanted.allow_no_crop = false;
  const Box boxes[] = {kRight};
  const auto found = [&] {
    Random random(1, 2, 3);
    return WindowSearch(wanted, 2, {}, {}).find(random, boxes);
  };
  EXPECT_THROW(found(), DataError);
  wanted.total_num_attempts = 1;
  const float one = intersection_over_union(found().window, kRight, 2);
  wanted.total_num_attempts = 500;
  EXPECT_GT(intersection_over_union(found().window, kRight, 2), one);
}

TEST(BbFlip, FlippedTwiceABoxIsWhatItWas) {
  const Registry registry = registry_of({register_bb_flip});
  RunOp flip(registry.at("bb_flip"), Args{{"vertical", int64_t{1}}});
  const HostTensor box(Shape{1, 4}, {}, std::vector<float>{.25f, .5f, .125f, .25f});
  const HostTensor once = flip({box})[0];
  EXPECT_EQ(once.values<float>(), (std::vector<float>{.625f, .25f, .125f, .25f}));
  EXPECT_EQ(flip({once})[0].values<float>(), box.values<float>());
}

TEST(BoxEncoder, EachBoxHasAnAnchorAndOthersTheirNearestBox) {
  const Registry registry = registry_of({register_box_encoder});
  // Of three anchors the first is nearest to the box, the second shares enough with it, and the third nothing.
  const Floats anchors = {0, 0, .5, .5, 0, 0, .5, .375, .75, .75, 1, 1};
  RunOp encode(registry.at("box_encoder"), Args{{"anchors", anchors}}, {}, 1, 2);
  const HostTensor box(Shape{1, 4}, {}, std::vector<float>{0, 0, .5f, .5f});
  const HostTensor label(Shape{1}, {}, std::vector<int32_t>{7});
  const auto made = encode({box, label});
  EXPECT_EQ(made[1].values<int32_t>(), (std::vector<int32_t>{7, 7, 0}));
  EXPECT_EQ(made[0].values<float>(),
            (std::vector<float>{.25f, .25f, .5f, .5f, .25f, .25f, .5f, .5f, .875f, .875f, .25f, .25f}));
}

TEST(RandomBboxCrop, BoxesThatAreNoneAreNamed) {
  const Registry registry = registry_of({register_random_bbox_crop});
  RunOp crop(registry.at("random_bbox_crop"));
  const auto run = [&](std::vector<float> numbers) {
    return message_of<DataError>([&] { crop({HostTensor(Shape{2, 4}, {}, numbers)}); });
  };
  expect_in("box 1 goes from 0.5 to 0.25 along y", run({0, 0, 1, 1, 0, .5f, 1, .25f}));
  expect_in("box 0 goes from 0 to inf along x", run({0, 0, INFINITY, 1, 0, 0, 1, 1}));
  expect_in("clamp_boxes=True", run({0, 0, 1, 1, -.5f, 0, 1, 1}));
}

}  // namespace
}  // namespace penstock

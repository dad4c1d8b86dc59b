// `arithmetic` on tensors of other shapes, and on parts of them.
#include <gmock/gmock.h>

#include <cmath>

#include "arithmetic.h"

namespace penstock {
namespace {

using test::arithmetic;
using test::element;
using test::HostTensor;
using test::refusal;
using test::result;
using test::RunOp;
using testing::HasSubstr;

/// The sum of two tensors by the definition of broadcasting, element by element.
std::vector<float> broadcast_sum(const HostTensor& a, const HostTensor& b, const Shape& shape) {
  const auto pick = [&](const HostTensor& t, int64_t i) {
    int64_t offset = 0, stride = 1;
    for (int d = 1; d <= shape.ndim(); ++d) {
      const int64_t index = i % shape[shape.ndim() - d];
      i /= shape[shape.ndim() - d];
      if (d > t.desc.shape.ndim()) continue;
      const int64_t extent = t.desc.shape[t.desc.shape.ndim() - d];
      if (extent > 1) offset += index * stride;
      stride *= extent;
    }
    return element<float>(t, static_cast<size_t>(offset));
  };
  std::vector<float> sums;
  for (int64_t i = 0; i < shape.volume(); ++i) sums.push_back(pick(a, i) + pick(b, i));
  return sums;
}

template <class T>
HostTensor counted(Shape shape, Layout layout = {}) {
  std::vector<T> values;
  for (int64_t i = 0; i < shape.volume(); ++i) values.push_back(static_cast<T>(i));
  return HostTensor(shape, layout, values);
}

TEST(Broadcasting, FollowsNumPy) {
  const std::vector<std::array<Shape, 3>> cases = {
      {Shape{2, 3}, Shape{3}, Shape{2, 3}},
      {Shape{2, 3}, Shape{2, 1}, Shape{2, 3}},
      {Shape{2, 1}, Shape{1, 3}, Shape{2, 3}},
      {Shape{2, 3}, Shape{}, Shape{2, 3}},
      {Shape{}, Shape{}, Shape{}},
      {Shape{1}, Shape{}, Shape{1}},
      {Shape{40, 50, 3}, Shape{3}, Shape{40, 50, 3}},  // a value per channel
      {Shape{40, 50, 3}, Shape{40, 50, 1}, Shape{40, 50, 3}},
      {Shape{3, 40, 50}, Shape{3, 1, 1}, Shape{3, 40, 50}},
      {Shape{5, 700}, Shape{700}, Shape{5, 700}},  // a period longer than a block
      {Shape{700, 1}, Shape{1, 3}, Shape{700, 3}},
      {Shape{2, 1, 2, 1, 2, 1, 2, 1}, Shape{1, 2, 1, 2, 1, 2, 1, 2}, Shape{2, 2, 2, 2, 2, 2, 2, 2}},
      {Shape{0, 3}, Shape{1}, Shape{0, 3}},
      {Shape{1, 0}, Shape{3, 1}, Shape{3, 0}},
  };
  for (const auto& [a, b, shape] : cases) {
    for (bool swapped : {false, true}) {
      const HostTensor x = counted<float>(swapped ? b : a), y = counted<uint8_t>(swapped ? a : b);
      const HostTensor out = result({{"op", "add"}}, {x, y});
      ASSERT_EQ(out.desc.shape, shape);
      ASSERT_EQ(out.values<float>(), broadcast_sum(x, y, shape)) << to_string(a) << " " << to_string(b);
    }
  }
  EXPECT_THAT(refusal<ArgumentError>({{"op", "add"}}, {counted<float>({2, 3}), counted<float>({2})}),
              HasSubstr("Can't broadcast shapes: (2, 3) and (2,)"));
  EXPECT_THAT(refusal<ArgumentError>({{"op", "add"}}, {counted<float>({0}), counted<float>({2})}),
              HasSubstr("Can't broadcast"));
}

TEST(Broadcasting, KeepsTheLongerLayout) {
  const auto layout = [](Layout a, Layout b, Shape sa, Shape sb) {
    return result({{"op", "add"}}, {counted<float>(sa, a), counted<float>(sb, b)}).desc.layout.str();
  };
  EXPECT_EQ(layout("HWC", {}, {2, 2, 3}, {2, 2, 3}), "HWC");
  EXPECT_EQ(layout({}, "HWC", {2, 2, 3}, {2, 2, 3}), "HWC");
  EXPECT_EQ(layout("C", "HWC", {3}, {2, 2, 3}), "HWC");
  EXPECT_EQ(layout("WC", {}, {2, 3}, {2, 2, 3}), "");
  const std::string message =
      refusal<ArgumentError>({{"op", "add"}}, {counted<float>({2, 2, 3}, "HWC"), counted<float>({2, 2, 3}, "CHW")});
  EXPECT_THAT(message, HasSubstr("They must be equal or one must be a suffix of the other. Got HWC and CHW"));
}

TEST(Regions, AreAskedForAndMadeWherePossible) {
  const HostTensor picture = test::test_image(9, 8);
  const std::vector<HostTensor> others = {
      test::test_image(9, 8),    counted<float>({3}, "C"),         counted<float>({8, 3}, "WC"),
      counted<float>({9, 8, 3}), counted<float>({9, 1, 1}, "HWC"), counted<float>({8, 1}),
      counted<float>({}),
  };
  const PlaneRegion wanted{2, 1, 6, 5};
  for (const HostTensor& other : others) {
    RunOp op(arithmetic(), {{"op", "sub"}}, {}, 1, 2);
    const HostTensor full = op({picture, other})[0];
    EXPECT_EQ(op({picture, other}, &wanted)[0].bytes, cut_out(full, wanted).bytes)
        << to_string(other.desc.shape) << other.desc.layout.str();
    EXPECT_EQ(op.needed()[0], wanted);
  }
}

}  // namespace
}  // namespace penstock

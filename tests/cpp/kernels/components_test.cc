// Components against a flood that spreads element by element.
#include "kernels/components/components.h"

#include <gtest/gtest.h>

#include <random>

#include "kernels/strided/strided.h"

namespace penstock::kernels {
namespace {

/// Numbers as Components::paint gives them.
template <class T>
std::vector<int32_t> flooded(const std::vector<T>& labels, const Shape& shape, int connectivity, T background) {
  std::vector<int32_t> numbers(labels.size(), 0);
  const Strides strides = dense_strides(shape);
  int32_t count = 0;
  for (size_t first = 0; first < labels.size(); ++first) {
    if (numbers[first] != 0 || labels[first] == background) continue;
    std::vector<size_t> open{first};
    numbers[first] = ++count;
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      int steps = 1;
      for (int axis = 0; axis < shape.ndim(); ++axis) steps *= 3;
      for (int step = 0; step < steps; ++step) {
        int64_t other = 0, used = 0;
        bool inside = true;
        for (int axis = 0, rest = step; axis < shape.ndim(); ++axis, rest /= 3) {
          const int64_t stride = strides[static_cast<size_t>(axis)];
          const int64_t place = static_cast<int64_t>(at) / stride % shape[axis] + rest % 3 - 1;
          inside = inside && place >= 0 && place < shape[axis];
          used += rest % 3 != 1;
          other += place * stride;
        }
        const auto next = static_cast<size_t>(other);
        if (!inside || used > connectivity || numbers[next] != 0 || labels[next] != labels[first]) continue;
        numbers[next] = count;
        open.push_back(next);
      }
    }
  }
  return numbers;
}

template <class T>
class ComponentsOf : public testing::Test {};
using Types = testing::Types<uint8_t, int8_t, uint16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(ComponentsOf, Types);

TYPED_TEST(ComponentsOf, AreThoseOfAFlood) {
  using T = TypeParam;
  std::mt19937 random(5);
  for (const Shape& shape : {Shape{57}, Shape{13, 37}, Shape{1, 9}, Shape{9, 1}, Shape{5, 6, 17}, Shape{3, 4, 5, 6}}) {
    for (int connectivity = 1; connectivity <= shape.ndim(); ++connectivity) {
      std::vector<T> labels(static_cast<size_t>(shape.volume()));
      for (T& label : labels) label = static_cast<T>(random() % 5 / 2);  // runs of 0, 1 and fewer 2
      const TensorView view{{dtype_of<T>, shape, {}}, reinterpret_cast<std::byte*>(labels.data())};
      const Components found(view, connectivity, 0);
      std::vector<int32_t> numbers(labels.size(), -1);
      found.paint(numbers.data());
      EXPECT_EQ(numbers, flooded<T>(labels, shape, connectivity, 0)) << to_string(shape) << " " << connectivity;
    }
  }
}

TEST(Components, HaveTheirLabelsAndBoxes) {
  std::vector<int16_t> labels = {-7, -7, 0, 3,  //
                                 0,  -7, 0, 3,  //
                                 3,  0,  0, 0};
  const TensorView view{{DType::kInt16, {3, 4}, {}}, reinterpret_cast<std::byte*>(labels.data())};
  const std::vector<Component> list = Components(view, 1, 0).list();
  ASSERT_EQ(list.size(), 3u);
  const auto check = [&](size_t i, int64_t label, std::array<int32_t, 4> box, double volume) {
    EXPECT_EQ(list[i].label, label);
    EXPECT_EQ((std::array{list[i].begin[0], list[i].begin[1], list[i].end[0], list[i].end[1]}), box);
    EXPECT_EQ(list[i].volume(2), volume);
  };
  check(0, -7, {0, 0, 2, 2}, 4);
  check(1, 3, {0, 3, 2, 4}, 2);
  check(2, 3, {2, 0, 3, 1}, 1);
  EXPECT_EQ(Components(view, 1, {}).list().size(), 5u);  // the zeros are two more
  EXPECT_EQ(Components(view, 1, 1 << 20).list().size(), 5u);
}

}  // namespace
}  // namespace penstock::kernels

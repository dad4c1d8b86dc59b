// Windows over pictures: what lies beyond borders, and correlation against sums over all weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/neighbourhood/correlate.h"
#include "kernels/neighbourhood/filter.h"
#include "kernels/neighbourhood/middle.h"
#include "kernels/neighbourhood/rank.h"
#include "kernels/neighbourhood/window.h"

namespace penstock::kernels {
namespace {

TEST(Border, RepeatsAxesOfFourElementsAsNumpyPadDoes) {
  const auto all = [](Border border) {
    std::vector<int64_t> found;
    for (int64_t i = -6; i < 10; ++i) found.push_back(border_index<int64_t>(border, i, 4));
    return found;
  };
  using Indices = std::vector<int64_t>;
  EXPECT_EQ(all(Border::kConstant), (Indices{-1, -1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(all(Border::kClamp), (Indices{0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(all(Border::kReflect1001), (Indices{2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1}));
  EXPECT_EQ(all(Border::kReflect101), (Indices{0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3}));
  EXPECT_EQ(all(Border::kWrap), (Indices{2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1}));
}

TEST(Border, AnAxisOfOneElementRepeatsItAndAnEmptyOneHasNone) {
  for (const Border border : {Border::kClamp, Border::kReflect1001, Border::kReflect101, Border::kWrap}) {
    EXPECT_EQ(border_index<int32_t>(border, -7, 1), 0);
    EXPECT_EQ(border_index<int32_t>(border, 7, 1), 0);
    EXPECT_EQ(border_index<int32_t>(border, 7, 0), -1);
  }
}

std::vector<float> numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> made(count);
  for (float& one : made) one = static_cast<float>(random() % 2000) / 8 - 100;
  return made;
}

TEST(CorrelateRows, BitsDoNotDependOnHowManyRowsAreMadeTogether) {
  for (const size_t elements : {1, 3, 16, 77, 300}) {
    const int planes = 2, height = 3, width = 4;
    const size_t channels = 3, row = elements + (width - 1) * channels;
    const std::vector<float> source = numbers(row * planes * (height + 1), 1), weights = numbers(24, 2);
    const auto at = [&](int k, int j) { return source.data() + static_cast<size_t>(k * (height + 1) + j) * row; };
    std::vector<float> together(2 * elements), alone(elements);
    std::vector<const float*> rows;
    const auto work = [&] {
      return CorrelateRows{.rows = rows.data(),
                           .weights = weights.data(),
                           .planes = planes,
                           .height = height,
                           .width = width,
                           .channels = channels,
                           .elements = elements};
    };
    for (int k = 0; k < planes; ++k)
      for (int j = 0; j <= height; ++j) rows.push_back(at(k, j));
    float* out[] = {together.data(), together.data() + elements};
    correlate_rows(work(), 2, out);
    for (size_t r = 0; r < 2; ++r) {
      rows.clear();
      for (int k = 0; k < planes; ++k)
        for (int j = 0; j < height; ++j) rows.push_back(at(k, j + static_cast<int>(r)));
      float* one[] = {alone.data(), nullptr};
      correlate_rows(work(), 1, one);
      for (size_t i = 0; i < elements; ++i) EXPECT_EQ(together[r * elements + i], alone[i]) << elements << " " << i;
    }
  }
}

TEST(WindowFilter, EqualsTheSumOverAllWeights) {
  const int32_t z = 3, y = 5, x = 7;
  const int64_t channels = 2;
  const std::vector<float> source = numbers(static_cast<size_t>(z * y * x * channels), 3),
                           weights = numbers(2 * 3 * 4, 4);
  for (const Border border :
       {Border::kConstant, Border::kClamp, Border::kReflect1001, Border::kReflect101, Border::kWrap}) {
    WindowAxes axes;
    axes[0] = {.extent = z, .held = z, .wanted = z, .taps = 2, .anchor = 1};
    axes[1] = {.extent = y, .held = y, .wanted = y, .taps = 3, .anchor = 0};
    axes[2] = {.extent = x, .held = x, .wanted = x, .taps = 4, .anchor = 2};
    std::vector<float> made(source.size());
    WindowFilter filter;
    filter.begin(axes, channels, border, 5, DType::kFloat, DType::kFloat);
    filter.run(reinterpret_cast<const std::byte*>(source.data()), weights.data(),
               reinterpret_cast<std::byte*>(made.data()));
    size_t at = 0;
    for (int32_t k = 0; k < z; ++k)
      for (int32_t j = 0; j < y; ++j)
        for (int32_t i = 0; i < x; ++i)
          for (int64_t c = 0; c < channels; ++c) {
            double sum = 0;
            for (int32_t w = 0; w < 24; ++w) {
              const int32_t sz = border_index(border, k - 1 + w / 12, z), sy = border_index(border, j + w / 4 % 3, y);
              const int32_t sx = border_index(border, i - 2 + w % 4, x);
              const bool inside = sz >= 0 && sy >= 0 && sx >= 0;
              sum += double{weights[static_cast<size_t>(w)]} *
                     (inside ? source[static_cast<size_t>(((sz * y + sy) * x + sx) * channels + c)] : 5);
            }
            EXPECT_NEAR(made[at++], sum, 0.05);
          }
  }
}

template <int n>
int middle_of_numbers(const std::vector<int>& numbers) {
  int set[n / 2 + 2];
  const auto load = [&](int& to, int i) { to = numbers[static_cast<size_t>(i)]; };
  middle_of<n, n / 2 + 2>(set, load, [](int& a, int& b) {
    if (b < a) std::swap(a, b);
  });
  return set[1];
}

TEST(Middle, IsTheMiddleOneInAnyOrder) {
  std::vector<int> nine = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  do EXPECT_EQ(middle_of_numbers<9>(nine), 4);
  while (std::ranges::next_permutation(nine).found);
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int> many(25);
    for (int& one : many) one = static_cast<int>(random() % 20);
    const int made = middle_of_numbers<25>(many);
    std::ranges::sort(many);
    EXPECT_EQ(made, many[12]);
  }
}

TEST(Extreme, SeesNothingBeyondAConstantBorder) {
  WindowAxes axes;
  axes[2] = {.extent = 4, .held = 4, .wanted = 4, .taps = 5, .anchor = 4};
  const std::vector<int16_t> in = {-3, -9, -1, -7};
  std::vector<int16_t> made(4);
  const auto run = [&](bool greatest) {
    extreme(axes, 1, Border::kConstant, greatest, DType::kInt16, reinterpret_cast<const std::byte*>(in.data()),
            reinterpret_cast<std::byte*>(made.data()));
    return made;
  };
  EXPECT_EQ(run(true), (std::vector<int16_t>{-3, -3, -1, -1}));
  EXPECT_EQ(run(false), (std::vector<int16_t>{-3, -9, -9, -9}));
}

}  // namespace
}  // namespace penstock::kernels

#include <gtest/gtest.h>
#include <penstock/parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace penstock::parallel {
namespace {

using Sizes = std::vector<int64_t>;

/// at::chunk, written down from its documentation and its source.
Sizes torch_chunk(int64_t rows, int64_t chunks) {
  const int64_t size = (rows + chunks - 1) / chunks;
  if (size == 0) return Sizes(static_cast<size_t>(chunks), 0);
  const int64_t count = std::max<int64_t>((rows + size - 1) / size, 1);
  Sizes sizes(static_cast<size_t>(count), size);
  sizes.back() = size - (size * count - rows);
  return sizes;
}

TEST(Split, ChunksAreThoseOfTorch) {
  EXPECT_EQ(split_sizes(3, 2), (Sizes{2, 1}));
  EXPECT_EQ(split_sizes(5, 4), (Sizes{2, 2, 1}));
  for (int rows = 0; rows < 70; ++rows)
    for (int parts = 1; parts < 20; ++parts) EXPECT_EQ(split_sizes(rows, parts), torch_chunk(rows, parts)) << rows;
}

TEST(Split, EvenPartsDifferByOneRowAndAreNotEmpty) {
  const Split even{.kind = Split::Kind::kEven};
  EXPECT_EQ(split_sizes(9, 8, even), (Sizes{2, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(split_sizes(0, 3, even), (Sizes{0, 0, 0}));
  for (int rows = 1; rows < 70; ++rows)
    for (int parts = 1; parts < 20; ++parts) {
      const Sizes sizes = split_sizes(rows, parts, even);
      const auto [least, most] = std::ranges::minmax(sizes);
      EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), rows);
      EXPECT_EQ(static_cast<int>(sizes.size()), std::min(rows, parts));
      EXPECT_TRUE(least > 0 && most - least <= 1) << rows << " over " << parts;
    }
}

TEST(Split, WeightsAreKeptWithinARow) {
  EXPECT_EQ(split_sizes(8, 2, {.kind = Split::Kind::kWeights, .weights = {3, 1}}), (Sizes{6, 2}));
  EXPECT_EQ(split_sizes(4, 3, {.kind = Split::Kind::kWeights, .weights = {1, 0, 1}}), (Sizes{2, 0, 2}));
  EXPECT_EQ(split_sizes(230, 3, {.kind = Split::Kind::kWeights, .weights = {4, 7, 9}}), (Sizes{46, 80, 104}));
  const std::vector<double> weights{0.5, 2, 1.25, 0, 3};
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (int64_t rows = 0; rows < 100; ++rows) {
    const Sizes sizes = split_sizes(rows, 5, {.kind = Split::Kind::kWeights, .weights = weights});
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), rows);
    for (size_t i = 0; rows > 3 && i < 5; ++i) {
      const double share = static_cast<double>(rows) * weights[i] / total;
      EXPECT_NEAR(static_cast<double>(sizes[i]), share, rows < 14 ? 2 : 1) << rows;  // from 14 on all shares are rows
      EXPECT_EQ(sizes[i] == 0, weights[i] == 0) << rows;
    }
  }
}

TEST(Split, NoDeviceWithAWeightGoesEmptyWhileThereAreRows) {
  const auto sizes = [](int64_t rows, const std::vector<double>& weights) {
    return split_sizes(rows, static_cast<int>(weights.size()), {.kind = Split::Kind::kWeights, .weights = weights});
  };
  EXPECT_EQ(sizes(8, {1000, 1}), (Sizes{7, 1}));
  EXPECT_EQ(sizes(8, {1, 1000, 1}), (Sizes{1, 6, 1}));
  EXPECT_EQ(sizes(2, {1, 1, 1}), (Sizes{1, 1}));
  EXPECT_EQ(sizes(1, {1, 1000}), (Sizes{1}));
  EXPECT_EQ(sizes(1, {0, 1000, 1}), (Sizes{0, 1}));
  EXPECT_EQ(sizes(5, {1, 0}), (Sizes{5}));
  EXPECT_EQ(sizes(0, {1, 2}), (Sizes{0, 0}));
}

TEST(Split, RefusesWhatCannotBeDivided) {
  EXPECT_THROW(split_sizes(3, 0), ArgumentError);
  EXPECT_THROW(split_sizes(-1, 2), ArgumentError);
  for (const std::vector<double>& weights : {std::vector<double>{1},
                                             {1, 1, 1},
                                             {0, 0},
                                             {2, -1},
                                             {1, std::nan("")},
                                             {1, std::numeric_limits<double>::max()},
                                             {1, std::numeric_limits<double>::infinity()}})
    EXPECT_THROW(split_sizes(3, 2, {.kind = Split::Kind::kWeights, .weights = weights}), ArgumentError);
}

TEST(DeviceId, IsReadAndWritten) {
  EXPECT_EQ(to_string(DeviceId::parse("cuda:3")), "cuda:3");
  EXPECT_EQ(to_string(DeviceId::parse("cpu")), "cpu:0");
  EXPECT_EQ(DeviceId::parse("cpu:7").memory(), kHostMemory);
  EXPECT_EQ(DeviceId::parse("cuda:2").memory(), 2);
  for (const char* text : {"", "gpu:1", "cuda:", "cuda:-1", "cpu:1x", "cuda:99999999999", "cpu: 1"})
    EXPECT_THROW(DeviceId::parse(text), ArgumentError) << text;
}

}  // namespace
}  // namespace penstock::parallel

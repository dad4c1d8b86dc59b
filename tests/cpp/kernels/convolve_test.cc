// Separable convolution against sums over all weights, and windows against the whole.
#include "kernels/convolve/convolve.h"

#include <gtest/gtest.h>

#include <random>

namespace penstock::kernels {
namespace {

struct Image {
  int64_t z, y, x, channels;
  std::vector<float> pixels;
  float at(int64_t k, int64_t j, int64_t i, int64_t c) const {
    return pixels[static_cast<size_t>(((k * y + j) * x + i) * channels + c)];
  }
};

Image image(int64_t z, int64_t y, int64_t x, int64_t channels) {
  Image made{z, y, x, channels, std::vector<float>(static_cast<size_t>(z * y * x * channels))};
  std::mt19937 random(7);
  for (float& pixel : made.pixels) pixel = static_cast<float>(random() % 1000) / 10;
  return made;
}

ConvolveAxes axes_of(const Image& in, const std::array<std::vector<float>, 3>& windows) {
  ConvolveAxes axes;
  const int64_t extents[] = {in.z, in.y, in.x};
  for (size_t i = 0; i < 3; ++i) {
    axes[i].extent = extents[i];
    axes[i].held = axes[i].wanted = {0, extents[i]};
    if (!windows[i].empty()) axes[i].window = windows[i];
  }
  return axes;
}

float expected(const Image& in, const ConvolveAxes& axes, int64_t z, int64_t y, int64_t x, int64_t c) {
  double sum = 0;
  for (int64_t k = 0; k < std::ssize(axes[0].window); ++k)
    for (int64_t j = 0; j < std::ssize(axes[1].window); ++j)
      for (int64_t i = 0; i < std::ssize(axes[2].window); ++i)
        sum += double{axes[0].window[static_cast<size_t>(k)]} * axes[1].window[static_cast<size_t>(j)] *
               axes[2].window[static_cast<size_t>(i)] *
               in.at(reflected(z + k - axes[0].radius(), in.z), reflected(y + j - axes[1].radius(), in.y),
                     reflected(x + i - axes[2].radius(), in.x), c);
  return static_cast<float>(sum);
}

std::vector<float> run(const Image& in, const ConvolveAxes& axes, std::span<const float> pixels) {
  int64_t size = in.channels;
  for (const ConvolveAxis& axis : axes) size *= axis.wanted.size();
  std::vector<float> out(static_cast<size_t>(size));
  Convolution convolution;
  convolution.run(DType::kFloat, reinterpret_cast<const std::byte*>(pixels.data()), axes, in.channels, DType::kFloat,
                  reinterpret_cast<std::byte*>(out.data()));
  return out;
}

const std::array<std::vector<float>, 3> kWindows = {
    {{.25f, .5f, .25f}, {.1f, .2f, .4f, .2f, .1f}, {.05f, .1f, .2f, .3f, .2f, .1f, .05f}}};

TEST(Convolution, EqualsTheSumOverAllWeights) {
  for (const Image& in : {image(1, 6, 9, 3), image(4, 5, 6, 2), image(1, 1, 1, 1), image(2, 2, 3, 1)}) {
    auto windows = kWindows;
    if (in.z == 1) windows[0].clear();
    const ConvolveAxes axes = axes_of(in, windows);
    const std::vector<float> made = run(in, axes, in.pixels);
    size_t at = 0;
    for (int64_t z = 0; z < in.z; ++z)
      for (int64_t y = 0; y < in.y; ++y)
        for (int64_t x = 0; x < in.x; ++x)
          for (int64_t c = 0; c < in.channels; ++c) EXPECT_NEAR(made[at++], expected(in, axes, z, y, x, c), 1e-3);
  }
}

TEST(Convolution, AWindowOfTheResultEqualsThatPartOfTheWhole) {
  const Image in = image(1, 20, 30, 3);
  auto windows = kWindows;  // which the axes look into
  windows[0].clear();
  ConvolveAxes axes = axes_of(in, windows);
  const std::vector<float> whole = run(in, axes, in.pixels);
  for (const auto& [y, x] : {std::pair<Range, Range>{{0, 4}, {0, 5}}, {{7, 12}, {20, 30}}, {{19, 20}, {1, 2}}}) {
    axes[1].wanted = y, axes[2].wanted = x;
    axes[1].held = reached(y, 2, in.y), axes[2].held = reached(x, 3, in.x);
    std::vector<float> held;
    for (int64_t j = axes[1].held.begin; j < axes[1].held.end; ++j)
      for (int64_t i = axes[2].held.begin; i < axes[2].held.end; ++i)
        for (int64_t c = 0; c < 3; ++c) held.push_back(in.at(0, j, i, c));
    const std::vector<float> part = run(in, axes, held);
    size_t at = 0;
    for (int64_t j = y.begin; j < y.end; ++j)
      for (int64_t i = x.begin; i < x.end; ++i)
        for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(part[at++], whole[static_cast<size_t>((j * in.x + i) * 3 + c)]);
  }
}

TEST(Convolution, ReflectionGoesOnUntilItLiesInside) {
  const int64_t wanted[] = {1, 0, 1, 2, 1, 0, 1, 2, 1};  // numpy.pad(range(3), (5, 1), "reflect")
  for (int64_t i = -5; i < 4; ++i) EXPECT_EQ(reflected(i, 3), wanted[i + 5]) << i;
  EXPECT_EQ(reflected(-9, 1), 0);
}

}  // namespace
}  // namespace penstock::kernels

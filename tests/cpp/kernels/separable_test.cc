// Convolution along axes: the CPU's is that of a plain sum, and the GPU's kernel, its threads played by the host's, gives
// the same bits.
#include "kernels/separable/separable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <penstock/error.h>

#include "core/random.h"
#include "cuda/kernels/separable.cuh"

namespace penstock::kernels {
namespace {

template <class T>
std::vector<T> noise(int64_t count) {
  Random random(1, 2, 3);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) {
    const float x = random.uniform() * 250.0f;
    value = static_cast<T>(std::is_signed_v<T> ? x - 125 : x);
  }
  return values;
}

std::vector<float> window(int taps) {
  std::vector<float> weights(static_cast<size_t>(taps));
  for (size_t k = 0; k < weights.size(); ++k) weights[k] = 1.0f / static_cast<float>(taps) + 0.001f * static_cast<float>(k);
  return weights;
}

/// A filter of a sample of outer x extents x inner elements.
struct Filter {
  int64_t outer = 1;
  std::vector<SeparableAxis> axes;
  int64_t inner = 1;
  Border border = Border::kReflect101;

  int64_t held() const {
    int64_t count = outer * inner;
    for (const SeparableAxis& axis : axes) count *= axis.in_extent;
    return count;
  }
  int64_t made() const {
    int64_t count = outer * inner;
    for (const SeparableAxis& axis : axes) count *= axis.out_extent;
    return count;
  }
};

SeparableAxis whole(int64_t size, const std::vector<float>& weights) {
  return {.size = size,
          .in_extent = size,
          .out_extent = size,
          .weights = weights,
          .anchor = weights.empty() ? 0 : static_cast<int64_t>(weights.size() - 1) / 2};
}

struct Prepared {
  SeparableJob job;
  std::vector<float> between[2];
};

template <class In, class Out>
void prepare(const Filter& filter, const std::vector<In>& in, std::vector<Out>& out, Prepared& p) {
  p.job = separable_job(filter.outer, filter.axes, filter.inner, filter.border);
  const SeparableBetween between = separable_between(p.job);
  out.assign(static_cast<size_t>(filter.made()), Out{77});
  p.job.in = in.data();
  p.job.out = out.data();
  for (int k = 0; k < 2; ++k) {
    p.between[k].assign(static_cast<size_t>(between.floats[k]), std::numeric_limits<float>::quiet_NaN());
    p.job.between[k] = p.between[k].data();
  }
}

template <class In, class Out>
std::vector<Out> on_cpu(const Filter& filter, const std::vector<In>& in) {
  Prepared p;
  std::vector<Out> out;
  prepare(filter, in, out, p);
  run_separable(p.job, dtype_of<In>, dtype_of<Out>);
  return out;
}

/// Beside an empty job, with few thread blocks for each.
template <class In, class Out>
std::vector<Out> on_gpu(const Filter& filter, const std::vector<In>& in) {
  Prepared p;
  std::vector<Out> out;
  prepare(filter, in, out, p);
  const SeparableJob jobs[] = {{}, p.job};
  const auto* bytes = reinterpret_cast<const std::byte*>(jobs);
  SeparableParameters parameters;
  add_to_launch(parameters, p.job);
  for (int32_t pass = 0; pass < parameters.passes; ++pass)
    cuda::on_threads::run_grid(2, 2, cuda::kSeparableThreads, [&] {
      if (pass == 0)
        cuda::separable_kernel<In, Out>(bytes, sizeof(SeparableJob), pass);
      else
        cuda::separable_kernel<float, Out>(bytes, sizeof(SeparableJob), pass);
    });
  return out;
}

template <class In, class Out = In>
void expect_same(const Filter& filter) {
  const std::vector<In> in = noise<In>(filter.held());
  EXPECT_EQ((on_cpu<In, Out>(filter, in)), (on_gpu<In, Out>(filter, in)));
}

/// The sum over both windows at once.
std::vector<float> plain(const std::vector<uint8_t>& in, int height, int width, int channels, const std::vector<float>& wy,
                         const std::vector<float>& wx, Border border) {
  std::vector<float> out;
  const int ay = static_cast<int>(wy.size() - 1) / 2, ax = static_cast<int>(wx.size() - 1) / 2;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        double sum = 0;
        for (int j = 0; j < static_cast<int>(wy.size()); ++j)
          for (int k = 0; k < static_cast<int>(wx.size()); ++k) {
            const int row = bordered(border, y + j - ay, height), column = bordered(border, x + k - ax, width);
            if (row < 0 || column < 0) continue;
            sum += double{wy[j]} * double{wx[k]} * in[static_cast<size_t>((row * width + column) * channels + c)];
          }
        out.push_back(static_cast<float>(sum));
      }
  return out;
}

TEST(Separable, IsTheSumOverBothWindows) {
  const std::vector<float> wy = window(5), wx = window(8);
  for (const Border border :
       {Border::kReflect101, Border::kReflect1001, Border::kClamp, Border::kWrap, Border::kZero}) {
    const Filter filter{.axes = {whole(9, wy), whole(13, wx)}, .inner = 3, .border = border};
    const std::vector<uint8_t> in = noise<uint8_t>(filter.held());
    const std::vector<float> got = on_cpu<uint8_t, float>(filter, in), expected = plain(in, 9, 13, 3, wy, wx, border);
    for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-3) << i;
  }
}

TEST(Separable, BordersAreThoseOfTheirNames) {
  const auto line = [](Border border) {
    std::vector<int> all;
    for (int i = -5; i < 9; ++i) all.push_back(bordered(border, i, 4));
    return all;
  };
  EXPECT_EQ(line(Border::kReflect101), (std::vector<int>{1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2}));
  EXPECT_EQ(line(Border::kReflect1001), (std::vector<int>{3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0}));
  EXPECT_EQ(line(Border::kClamp), (std::vector<int>{0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(line(Border::kWrap), (std::vector<int>{3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0}));
  EXPECT_EQ(line(Border::kZero), (std::vector<int>{-1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1}));
  EXPECT_EQ(bordered(Border::kReflect101, -7, 1), 0);
}

TEST(Separable, AGpuGivesTheCpusBits) {
  const std::vector<float> w3 = window(3), w11 = window(11), none;
  expect_same<uint8_t>({.axes = {whole(21, w11), whole(37, w3)}, .inner = 3});
  expect_same<uint8_t, float>({.outer = 2, .axes = {whole(10, w3), whole(40, w11)}, .inner = 1});  // frames, or planes
  expect_same<int16_t>({.axes = {whole(7, w3), whole(19, w3)}, .inner = 2, .border = Border::kZero});
  expect_same<uint16_t>({.axes = {whole(5, w11), whole(6, w11)}, .inner = 4, .border = Border::kWrap});
  expect_same<int32_t, float>({.axes = {whole(3, w3), whole(9, w11), whole(8, w3)}, .inner = 3});  // a volume
  expect_same<float>({.axes = {whole(9, none), whole(70, w11)}, .inner = 1});                      // a pass
  expect_same<float>({.axes = {whole(9, w3), whole(70, none)}, .inner = 1, .border = Border::kClamp});
}

TEST(Separable, AGpuGivesTheCpusBitsWhereMarginsHaveNoRoom) {
  const std::vector<float> wide = window(cuda::kSeparableRoom / 3 + 9), long_one = window(900);
  expect_same<float>({.axes = {whole(50, wide)}, .inner = 3});     // no segment fits
  expect_same<float>({.axes = {whole(1500, long_one)}, .inner = 5});  // segments of a few indices
}

TEST(Separable, InfinitiesSpoilOnlyWhatTheirWindowsReach) {
  const std::vector<float> w5 = window(5);
  const Filter filter{.axes = {whole(30, w5), whole(40, w5)}, .inner = 1};
  std::vector<float> in = noise<float>(filter.held());
  in[10 * 40 + 20] = std::numeric_limits<float>::infinity();
  const auto cpu = on_cpu<float, float>(filter, in), gpu = on_gpu<float, float>(filter, in);
  EXPECT_EQ(cpu, gpu);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x)
      EXPECT_EQ(std::isinf(cpu[static_cast<size_t>(y * 40 + x)]), std::abs(y - 10) <= 2 && std::abs(x - 20) <= 2);
}

/// A window of the result, of what it needs, is that part of the whole.
void expect_window(Border border, const std::vector<float>& weights, int64_t y0, int64_t height, int64_t x0,
                   int64_t width, bool on_gpu_too = false) {
  constexpr int64_t kRows = 17, kColumns = 23, kChannels = 2;
  const Filter all{.axes = {whole(kRows, weights), whole(kColumns, weights)}, .inner = kChannels, .border = border};
  const std::vector<int16_t> in = noise<int16_t>(all.held()), expected = on_cpu<int16_t, int16_t>(all, in);
  const auto part = [&](int64_t first, int64_t extent, int64_t size) {
    SeparableAxis axis = whole(size, weights);
    const auto [begin, end] =
        separable_need(first, extent, size, static_cast<int64_t>(weights.size()), axis.anchor, border);
    EXPECT_GE(begin, 0);
    EXPECT_LE(end, size);
    axis.held = begin;
    axis.in_extent = end - begin;
    axis.first = first;
    axis.out_extent = extent;
    return axis;
  };
  const Filter cut{.axes = {part(y0, height, kRows), part(x0, width, kColumns)}, .inner = kChannels, .border = border};
  std::vector<int16_t> held;
  for (int64_t y = 0; y < cut.axes[0].in_extent; ++y)
    for (int64_t x = 0; x < cut.axes[1].in_extent; ++x)
      for (int64_t c = 0; c < kChannels; ++c)
        held.push_back(in[static_cast<size_t>(((cut.axes[0].held + y) * kColumns + cut.axes[1].held + x) * kChannels + c)]);
  const auto cpu = on_cpu<int16_t, int16_t>(cut, held);
  if (on_gpu_too) {
    EXPECT_EQ(cpu, (on_gpu<int16_t, int16_t>(cut, held)));
  }
  for (int64_t y = 0; y < height; ++y)
    for (int64_t i = 0; i < width * kChannels; ++i)
      ASSERT_EQ(cpu[static_cast<size_t>(y * width * kChannels + i)],
                expected[static_cast<size_t>(((y0 + y) * kColumns + x0) * kChannels + i)]);
}

TEST(Separable, WindowsAreThatPartOfTheWhole) {
  for (const Border border :
       {Border::kReflect101, Border::kReflect1001, Border::kClamp, Border::kWrap, Border::kZero}) {
    expect_window(border, window(7), 0, 5, 0, 4, true);
    expect_window(border, window(7), 6, 5, 9, 6);
    expect_window(border, window(7), 14, 3, 20, 3);
    expect_window(border, window(41), 2, 3, 21, 2);
    expect_window(border, window(4), 5, 1, 1, 1);
    expect_window(border, {}, 3, 4, 5, 6);
  }
}

TEST(Separable, RefusesTypesThatItHasNot) {
  const SeparableJob job;
  EXPECT_THROW(run_separable(job, DType::kFloat64, DType::kFloat64), TypeError);
  EXPECT_THROW(run_separable(job, DType::kUInt8, DType::kInt16), TypeError);
}

}  // namespace
}  // namespace penstock::kernels

// Kernels of windows that work by strips, their threads played by the host's: extreme elements are the CPU's, and
// correlation gives the bits of a plain loop over each result's window.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/convert.h"
#include "core/random.h"
#include "cuda/kernels/extreme.cuh"
#include "cuda/kernels/filter.cuh"
#include "kernels/neighbourhood/rank.h"

namespace penstock::kernels {
namespace {

constexpr Border kBorders[] = {Border::kConstant, Border::kClamp, Border::kReflect1001, Border::kReflect101,
                               Border::kWrap};

template <class T>
std::vector<T> noise(int64_t count) {
  Random random(1, 2, 3);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) value = static_cast<T>(random.uniform() * 255.9f);
  return values;
}

WindowAxis axis(int32_t extent, int32_t taps, int32_t anchor) {
  return {.extent = extent, .held = extent, .wanted = extent, .taps = taps, .anchor = anchor};
}

/// Windows over 2 samples of a sequence of pictures each; z, y, x.
struct Windows {
  WindowAxes axes;
  int32_t channels = 1, outer = 1;

  int64_t held() const { return int64_t{outer} * axes[0].held * axes[1].held * axes[2].held * channels; }
  std::string text(Border border) const {
    std::string all = "border " + std::to_string(static_cast<int>(border)) + ", channels " + std::to_string(channels);
    for (const WindowAxis& a : axes)
      all += "; " + std::to_string(a.extent) + " elements, window " + std::to_string(a.taps) + " from -" +
             std::to_string(a.anchor) + ", held " + std::to_string(a.held_begin) + " + " + std::to_string(a.held) +
             ", wanted " + std::to_string(a.wanted_begin) + " + " + std::to_string(a.wanted);
    return all;
  }
};

/// A part of the results of an axis, and what of its elements they are made from, as the CPU's operator says.
void take_part(WindowAxis& axis, Border border, Random& random) {
  axis.wanted_begin = static_cast<int32_t>(random.below(static_cast<uint32_t>(axis.extent)));
  axis.wanted = 1 + static_cast<int32_t>(random.below(static_cast<uint32_t>(axis.extent - axis.wanted_begin)));
  int32_t first = axis.extent - 1, last = 0;
  for (int32_t i = axis.first(); i < axis.first() + axis.reach(); ++i)
    if (const int32_t at = border_index(border, i, axis.extent); at >= 0) first = min(first, at), last = max(last, at);
  axis.held_begin = min(first, last), axis.held = max(last - first, 0) + 1;
}

/// Lines and windows of all sizes, of pictures and of parts of them.
std::vector<Windows> flat_windows(Border border, int count = 100) {
  std::vector<Windows> all;
  Random random(1, 2, static_cast<uint64_t>(border));
  const auto below = [&](uint32_t n) { return static_cast<int32_t>(random.below(n)); };
  for (int n = 0; n < count; ++n) {
    Windows one;
    one.channels = 1 + below(4), one.outer = 1 + below(3);
    const uint32_t most = n % 4 == 0 ? 30 : 5;
    for (size_t a = 1; a < 3; ++a) {
      const int32_t taps = n % 3 == 0 ? 3 : 1 + below(most);
      one.axes[a] = axis(1 + below(a == 1 ? 40 : n % 2 == 0 ? 10 : 120), taps, below(static_cast<uint32_t>(taps)));
      if (n % 5 == 0) take_part(one.axes[a], border, random);
    }
    all.push_back(one);
  }
  return all;
}

/// Calls share() for each thread of a block.
template <class Share>
void each_thread(Share&& share) {
  for (threadIdx.x = 0; threadIdx.x < cuda::kStripThreads; ++threadIdx.x) share();
}

template <class T>
void extreme_block(const ExtremeJob& job) {
  each_thread([&] { cuda::extreme_share<T>(job); });
}

/// What `blocks` blocks make by run(job), one after the other: behind `before` other elements and before some, which
/// must stay.
template <class Out, class Job, class Run>
std::vector<Out> made(Job job, size_t before, uint32_t blocks, Run&& run) {
  constexpr Out kAround = 113;
  const auto count = static_cast<size_t>(job.results());
  std::vector<Out> memory(before + count + 16, kAround);
  job.out = memory.data() + before;
  gridDim = {blocks, 1};
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) run(job);
  const auto first = memory.begin() + static_cast<int64_t>(before), end = first + static_cast<int64_t>(count);
  EXPECT_TRUE(std::all_of(memory.begin(), first, [](Out x) { return x == kAround; }));
  EXPECT_TRUE(std::all_of(end, memory.end(), [](Out x) { return x == kAround; }));
  return {first, end};
}

template <class T>
void expect_extremes_of_the_cpu() {
  size_t before = 0;
  for (const Border border : kBorders)
    for (const Windows& windows : flat_windows(border))
      for (const bool greatest : {true, false}) {
        ExtremeJob job;
        const std::vector<T> in = noise<T>(windows.held());
        job.in = in.data(), job.axes = windows.axes, job.channels = windows.channels, job.outer = windows.outer;
        job.border = border, job.greatest = greatest;
        std::vector<T> expected(static_cast<size_t>(job.results()));
        for (size_t i = 0; i < static_cast<size_t>(job.outer); ++i) {
          const auto outer = static_cast<size_t>(job.outer);
          extreme(job.axes, job.channels, border, greatest, dtype_of<T>,
                  reinterpret_cast<const std::byte*>(in.data() + in.size() / outer * i),
                  reinterpret_cast<std::byte*>(expected.data() + expected.size() / outer * i));
        }
        const auto found = made<T>(job, before % 5, before % 3 + 1, extreme_block<T>);
        ++before;
        ASSERT_EQ(found, expected) << windows.text(border) << ", greatest " << greatest;
      }
}

TEST(ExtremeStrips, OfBytesAreTheCpus) { expect_extremes_of_the_cpu<uint8_t>(); }
TEST(ExtremeStrips, OfNumbersWithASignAreTheCpus) { expect_extremes_of_the_cpu<int16_t>(); }
TEST(ExtremeStrips, OfFloatsAreTheCpus) { expect_extremes_of_the_cpu<float>(); }

TEST(ExtremeStrips, EachRowOfBlocksTakesItsJob) {
  const std::vector<uint8_t> in = {3, 1, 4, 1, 5, 9};
  std::vector<uint8_t> out(6);
  ExtremeJob job;
  job.in = in.data(), job.out = out.data(), job.axes[2] = axis(6, 3, 1);
  ExtremeJob none = job;
  none.outer = 0;
  const std::array jobs = {none, job};
  cuda::on_threads::run_grid(2, 2, cuda::kStripThreads, [&] { cuda::extreme_kernel<uint8_t>(jobs.data()); });
  EXPECT_EQ(out, (std::vector<uint8_t>{3, 4, 4, 5, 9, 9}));
}

TEST(ExtremeStrips, OfFloatsMayBeInfinite) {
  const std::vector<float> in = {-INFINITY, -INFINITY, 3, INFINITY, 5, 7};
  ExtremeJob job;
  job.in = in.data();
  job.axes[2] = axis(6, 2, 1);
  const auto run = [&](bool greatest) {
    job.greatest = greatest;
    return made<float>(job, 0, 1, extreme_block<float>);
  };
  EXPECT_EQ(run(true), (std::vector<float>{-INFINITY, -INFINITY, 3, INFINITY, INFINITY, 7}));
  EXPECT_EQ(run(false), (std::vector<float>{-INFINITY, -INFINITY, -INFINITY, 3, 5, 5}));
}

/// The plain loop.
template <class In, class Out>
std::vector<Out> correlated(const FilterJob& job) {
  const auto& [az, ay, ax] = job.axes;
  const float fill = job.fill ? static_cast<float>(*static_cast<const In*>(job.fill)) : 0;
  std::vector<Out> all;
  for (int64_t n = 0; n < job.results(); ++n) {
    const auto channel = static_cast<int32_t>(n % job.channels);
    const auto x = static_cast<int32_t>(n / job.channels % ax.wanted);
    const auto y = static_cast<int32_t>(n / job.channels / ax.wanted % ay.wanted);
    const auto z = static_cast<int32_t>(n / job.channels / ax.wanted / ay.wanted % az.wanted);
    const int64_t image = n / job.channels / ax.wanted / ay.wanted / az.wanted;
    const float* weight = job.weights + image / job.pictures_per_filter * (az.taps * ay.taps * ax.taps);
    float sum = 0;
    for (int32_t k = 0; k < az.taps; ++k)
      for (int32_t t = 0; t < ay.taps; ++t)
        for (int32_t i = 0; i < ax.taps; ++i) {
          const int64_t plane = az.source(job.border, az.first() + z + k);
          const int64_t row = ay.source(job.border, ay.first() + y + t);
          const int64_t column = ax.source(job.border, ax.first() + x + i);
          const int64_t at = (((image * az.held + plane) * ay.held + row) * ax.held + column) * job.channels + channel;
          const bool inside = plane >= 0 && row >= 0 && column >= 0;
          sum = std::fma(*weight++, inside ? static_cast<float>(static_cast<const In*>(job.in)[at]) : fill, sum);
        }
    all.push_back(convert_sat<Out>(sum));
  }
  return all;
}

/// What this block does, thread by thread: the kernel's barriers divide it.
template <class In, class Out>
void filter_block(const FilterJob& job) {
  constexpr int kRows = cuda::kFilterRows<In>;
  cuda::for_filters(job, [&](const float* filter, const cuda::StripShare& share) {
    std::vector<cuda::RowWeights<kRows>> spread(cuda::kMostRowWeights);
    const bool fits = cuda::fits_shared<kRows>(job);
    if (fits) each_thread([&] { cuda::spread_weights(job, filter, spread.data()); });
    each_thread([&] { cuda::filter_share<In, Out>(job, share, filter, fits ? spread.data() : nullptr); });
  });
}

template <class In, class Out>
void expect_sums(int32_t depth) {
  size_t before = 0;
  for (const Border border : kBorders)
    for (Windows windows : flat_windows(border, depth == 1 ? 100 : 20)) {
      windows.axes[0] = axis(depth, min(depth, 3), depth / 3);
      FilterJob job;
      const std::vector<In> in = noise<In>(windows.held());
      job.in = in.data(), job.axes = windows.axes, job.channels = windows.channels, job.outer = windows.outer;
      job.border = border;
      const auto& [az, ay, ax] = windows.axes;
      std::vector<float> weights;
      for (const float value : noise<float>(int64_t{3} * az.taps * ay.taps * ax.taps))
        weights.push_back(value / 128.f - 0.7f);  // sums leave the range of bytes on both sides
      job.weights = weights.data();
      const In fill = 77;
      if (before % 2 == 1) job.fill = &fill;
      job.pictures_per_filter = before % 3 == 0 ? 1 : job.outer;
      const auto found = made<Out>(job, before % 5, before % 4 + 1, filter_block<In, Out>);
      ++before;
      ASSERT_EQ(found, (correlated<In, Out>(job))) << windows.text(border);
    }
}

TEST(FilterStrips, OfBytesAreThePlainSums) { expect_sums<uint8_t, uint8_t>(1); }
TEST(FilterStrips, OfBytesToFloatAreThePlainSums) { expect_sums<uint8_t, float>(1); }
TEST(FilterStrips, OfOtherTypesAreThePlainSums) { expect_sums<int16_t, int16_t>(1); }
TEST(FilterStrips, OfVolumesAreThePlainSums) {
  expect_sums<uint8_t, uint8_t>(4);
  expect_sums<float, float>(4);
}

TEST(FilterStrips, EachRowOfBlocksTakesItsJob) {
  const std::vector<uint8_t> in = {3, 1, 4, 1, 5, 9};
  const std::vector<float> weights = {2, 1, 1, 3};
  std::vector<uint8_t> out(6);
  FilterJob job;
  job.in = in.data(), job.out = out.data(), job.weights = weights.data();
  job.axes[2] = axis(3, 2, 0), job.outer = 2;
  FilterJob none = job;
  none.outer = 0;
  const std::array jobs = {none, job};
  cuda::on_threads::run_grid(3, 2, cuda::kStripThreads, [&] { cuda::filter_kernel<uint8_t, uint8_t>(jobs.data()); });
  EXPECT_EQ(out, (std::vector<uint8_t>{7, 6, 8, 16, 32, 9}));
}

TEST(FilterStrips, RoundBytesHalfUpAndClampThem) {
  // Halves, what is next to them, what is beyond bytes, and sums that are no numbers.
  const std::vector<float> sums = {0.5f,
                                   std::nextafter(0.5f, 0.f),
                                   1.5f,
                                   254.5f,
                                   std::nextafter(254.5f, 0.f),
                                   255.5f,
                                   -0.5f,
                                   -3.f,
                                   1e-40f,
                                   1e30f,
                                   -INFINITY,
                                   NAN};
  for (size_t i = 0; i < sums.size(); i += 4) {
    const auto quad = cuda::converted<uint8_t>(float4{sums[i], sums[i + 1], sums[i + 2], sums[i + 3]});
    for (size_t j = 0; j < 4; ++j)
      EXPECT_EQ(quad.word >> 8 * j & 255, convert_sat<uint8_t>(sums[i + j])) << sums[i + j];
  }
}

}  // namespace
}  // namespace penstock::kernels

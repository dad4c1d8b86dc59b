#include "kernels/resample/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include <penstock/error.h>

#include "core/arena.h"
#include "core/convert.h"
#include "core/instruction_sets.h"
#include "core/random.h"
#include "kernels/resample/filter.h"
#include "kernels/resample/linear.h"

namespace penstock::kernels {
namespace {

AxisGeometry axis(int64_t in, int64_t out, float start, float end, InterpType filter, bool antialias) {
  return {.in = in,
          .out = out,
          .start = start,
          .end = end,
          .filter = filter,
          .antialias = antialias,
          .begin = 0,
          .stop = out};
}

AxisGeometry axis(int64_t in, int64_t out, InterpType filter = InterpType::kLinear, bool antialias = false) {
  return axis(in, out, 0, static_cast<float>(in), filter, antialias);
}

/// Rows and columns of the source that the window takes.
PlaneRegion source_of(const Geometry& g) {
  const auto [y0, y1] = touched(g.y);
  const auto [x0, x1] = touched(g.x);
  return {y0, x0, y1, x1};
}

template <class T>
std::vector<T> noise(int64_t n) {
  std::vector<T> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<T, float>)
      values[i] = static_cast<float>(mix64(i) % 2001) / 1000 - 1;
    else
      values[i] = static_cast<T>(mix64(i));
  }
  return values;
}

template <class Out, class In>
std::vector<Out> resample(const Geometry& g, const std::vector<In>& in, const PlaneRegion& held) {
  Resampler resampler;
  resampler.plan(g);
  Arena arena;
  auto* scratch = reinterpret_cast<float*>(arena.take(resampler.scratch_size() * sizeof(float)));
  std::vector<Out> out(
      static_cast<size_t>((g.z.stop - g.z.begin) * (g.y.stop - g.y.begin) * (g.x.stop - g.x.begin) * g.channels));
  resampler.run(dtype_of<In>, reinterpret_cast<const std::byte*>(in.data()), held, dtype_of<Out>,
                reinterpret_cast<std::byte*>(out.data()), scratch);
  return out;
}

template <class Out, class In>
std::vector<Out> resample(const Geometry& g, const std::vector<In>& in) {
  return resample<Out>(g, in, PlaneRegion{0, 0, g.y.in, g.x.in});
}

// The definition, in double: analytic curves, one axis at a time.
double curve(InterpType filter, double t, double radius) {
  const double beyond = std::max(0.0, std::abs(t) / radius - 1);
  t = std::min(std::abs(t), radius);
  const auto sinc = [](double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); };
  switch (filter) {
    case InterpType::kCubic: {
      const double x = 2 * t / radius;
      return x < 1 ? 1.5 * x * x * x - 2.5 * x * x + 1 : -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2;
    }
    case InterpType::kLanczos3:
      return sinc(3 * t / radius) * sinc(t / radius);
    case InterpType::kGaussian:
      // Not cut sharply: it falls to 0 in the width of one of the samples that the curve is made of.
      return std::exp(-4 * t * t / (radius * radius)) * std::max(0.0, 1 - 32 * beyond);
    default:
      return 1 - t / radius;
  }
}

std::vector<double> weights_by_definition(const AxisGeometry& g, int64_t x) {
  const double step = (static_cast<double>(g.end) - g.start) / static_cast<double>(g.out);
  const auto border = [&](double at) {
    return static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(g.in - 1)));
  };
  std::vector<double> weights(static_cast<size_t>(g.in));
  const double place = g.start + (static_cast<double>(x) + 0.5) * step;
  if (g.filter == InterpType::kNN) {
    weights[border(std::floor(place))] = 1;
    return weights;
  }
  const double widen = g.antialias ? std::max(1.0, std::abs(step)) : 1;
  const double lobes = g.filter == InterpType::kLanczos3 ? 3 : g.filter == InterpType::kCubic ? 2 : 1;
  const double radius = lobes * (g.filter == InterpType::kLinear ? 1 : widen), centre = place - 0.5;
  double sum = 0;
  // In float: a Gaussian ends with a step, and rounding decides on which side of it a tap lies.
  const float step_f = g.step(), origin = g.start + (0.5f * step_f - 0.5f - static_cast<float>(radius));
  const double first = std::ceil(static_cast<float>(x) * step_f + origin);
  for (double at = first; at < first + std::ceil(2 * radius); ++at) {
    const double weight = curve(g.filter, at - centre, radius);
    weights[border(at)] += weight;
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<double> along(const AxisGeometry& g, int64_t outer, int64_t inner, const std::vector<double>& in) {
  std::vector<double> out(static_cast<size_t>(outer * g.out * inner));
  for (int64_t x = 0; x < g.out; ++x) {
    const auto weights = weights_by_definition(g, x);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < g.in; ++k)
        for (int64_t i = 0; i < inner; ++i)
          out[static_cast<size_t>((o * g.out + x) * inner + i)] +=
              weights[static_cast<size_t>(k)] * in[static_cast<size_t>((o * g.in + k) * inner + i)];
  }
  return out;
}

template <class In>
std::vector<double> by_definition(const Geometry& g, const std::vector<In>& in) {
  std::vector<double> values(in.begin(), in.end());
  values = along(g.x, g.z.in * g.y.in, g.channels, values);
  values = along(g.y, g.z.in, g.x.out * g.channels, values);
  return along(g.z, 1, g.y.out * g.x.out * g.channels, values);
}

template <class In>
void expect_definition(const Geometry& g, double tolerance) {
  const auto in = noise<In>(g.z.in * g.y.in * g.x.in * g.channels);
  const auto expected = by_definition(g, in);
  const auto exact = resample<float>(g, in);
  const auto narrow = resample<In>(g, in);
  ASSERT_EQ(exact.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(exact[i], expected[i], tolerance) << "element " << i;
    ASSERT_EQ(narrow[i], convert_sat<In>(exact[i])) << "element " << i << ": " << exact[i];
  }
}

struct Sizes {
  const char* what;
  int64_t in_h, in_w, out_h, out_w;
};

// Enlarging takes the rows first, shrinking the columns; the widths reach all three ways of gathering.
constexpr Sizes kSizes[] = {{"same", 9, 40, 9, 40},    {"shrink", 40, 61, 17, 23}, {"slightly", 31, 70, 29, 61},
                            {"enlarge", 7, 9, 23, 50}, {"mixed", 30, 8, 7, 37},    {"to one", 13, 17, 1, 1},
                            {"from one", 1, 1, 5, 20}, {"thin", 2, 90, 3, 6},      {"much", 90, 100, 4, 3}};
constexpr InterpType kFilters[] = {InterpType::kNN,       InterpType::kLinear,     InterpType::kCubic,
                                   InterpType::kLanczos3, InterpType::kTriangular, InterpType::kGaussian};

TEST(Filter, TentIsTheSampledCurve) {
  for (const float radius : {1.0f, 1.7f, 42.5f}) {
    const FilterCurve sampled(InterpType::kTriangular, radius);
    const Tent tent(InterpType::kTriangular, radius);
    EXPECT_EQ(tent(NAN), 0);
    for (int i = -1100; i <= 1100; ++i) {
      const float distance = static_cast<float>(i) * radius / 1000;
      EXPECT_EQ(tent(distance), sampled(distance)) << distance << " of " << radius;
    }
  }
}

TEST(Resample, FollowsTheDefinition) {
  for (const Sizes& s : kSizes)
    for (const InterpType filter : kFilters)
      for (const bool antialias : {false, true})
        for (const int64_t channels : {1, 3, 4, 7}) {
          SCOPED_TRACE(testing::Message() << s.what << ", filter " << static_cast<int>(filter) << ", antialias "
                                          << antialias << ", channels " << channels);
          expect_definition<uint8_t>({.z = {},
                                      .y = axis(s.in_h, s.out_h, filter, antialias),
                                      .x = axis(s.in_w, s.out_w, filter, antialias),
                                      .channels = channels},
                                     0.5);  // curves are sampled: about 1e-3 of the range
        }
}

TEST(Resample, LinearFiltersAreExactForEveryType) {
  const Geometry g{.z = {}, .y = axis(20, 13, InterpType::kTriangular, true), .x = axis(33, 50), .channels = 3};
  expect_definition<uint8_t>(g, 1e-3);
  expect_definition<int16_t>(g, 0.1);
  expect_definition<uint16_t>(g, 0.1);
  expect_definition<float>(g, 1e-5);
}

TEST(Resample, EveryInstructionSetOfThisProcessorFollowsTheDefinition) {
  test::with_every_instruction_set([] {
    for (const Sizes& s : kSizes)
      for (const int64_t channels : {1, 3, 5})
        expect_definition<uint8_t>({.z = {},
                                    .y = axis(s.in_h, s.out_h, InterpType::kTriangular, true),
                                    .x = axis(s.in_w, s.out_w, InterpType::kTriangular, true),
                                    .channels = channels},
                                   2e-3);
  });
}

TEST(Linear, TapsOfManyPixelsHaveTheBitsOfTheTent) {
  Random random(4, 5, 6);
  for (int round = 0; round < 200; ++round) {
    const auto count = static_cast<int32_t>(random.below(70)), begin = static_cast<int32_t>(random.below(20));
    const LinearPixels pixels{begin, begin + count, static_cast<float>(random.below(1000)),
                              random.below(2) ? random.uniform(0, 5) : -random.uniform(0, 5),
                              random.below(9) == 0 ? 0 : random.uniform(-3, 5000)};
    std::vector<int32_t> expected;
    std::vector<float> expected_weights;
    for (int32_t i = pixels.begin; i < pixels.end; ++i) {
      const float low = (pixels.offset + static_cast<float>(i)) * pixels.step + pixels.origin;
      const float distance = ceil_fast(low) - low - 1;
      const Tent tent(InterpType::kLinear, 1);
      const float left = tent(distance), right = tent(distance + 1), unit = 1 / (left + right);
      expected.push_back(static_cast<int32_t>(ceil_fast(low)));
      expected_weights.insert(expected_weights.end(), {left * unit, right * unit});
    }
    test::with_every_instruction_set([&] {
      std::vector<int32_t> first(static_cast<size_t>(begin + count) + 1, -7);
      std::vector<float> weights(2 * first.size(), -7);
      linear_taps(pixels, first.data(), weights.data());
      EXPECT_EQ(first.back(), -7);
      EXPECT_EQ(std::vector(first.begin() + begin, first.end() - 1), expected);
      EXPECT_EQ(weights[weights.size() - 2], -7);
      EXPECT_EQ(std::vector(weights.begin() + 2 * begin, weights.end() - 2), expected_weights);
    });
  }
}

TEST(Resample, RegionsMayBeFractionalFlippedAndOutside) {
  for (const auto& [start, end] :
       {std::pair{2.25f, 17.5f}, {30.0f, 0.0f}, {-5.5f, 12.0f}, {21.0f, 44.0f}, {50.0f, 60.0f}}) {
    SCOPED_TRACE(start);
    expect_definition<uint8_t>({.z = {},
                                .y = axis(12, 7, 11.5f, 1.25f, InterpType::kTriangular, true),
                                .x = axis(30, 21, start, end, InterpType::kTriangular, true),
                                .channels = 3},
                               2e-3);
  }
}

TEST(Resample, VolumesAreResampledInDepthToo) {
  for (const auto& [in, out] : {std::pair<int64_t, int64_t>{4, 9}, {9, 4}, {5, 5}, {1, 3}})
    expect_definition<uint8_t>({.z = axis(in, out, InterpType::kTriangular, true),
                                .y = axis(11, 6, InterpType::kTriangular, true),
                                .x = axis(7, 13, InterpType::kTriangular, true),
                                .channels = 2},
                               1e-3);
}

TEST(Resample, CopiesWhereNothingChanges) {
  const auto in = noise<uint16_t>(14 * 19 * 3);
  for (const InterpType filter : {InterpType::kNN, InterpType::kLinear, InterpType::kCubic, InterpType::kLanczos3})
    EXPECT_EQ(in,
              resample<uint16_t>({.z = {}, .y = axis(14, 14, filter), .x = axis(19, 19, filter), .channels = 3}, in));
}

template <class T>
std::vector<T> cut_out(const std::vector<T>& full, int64_t width, int64_t channels, const PlaneRegion& r) {
  std::vector<T> part;
  for (int64_t y = r.y0; y < r.y1; ++y)
    part.insert(part.end(), full.begin() + (y * width + r.x0) * channels, full.begin() + (y * width + r.x1) * channels);
  return part;
}

TEST(Resample, AnyWindowEqualsThatPartOfTheWholeBitForBit) {
  Random random(1, 2, 3);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + random.below(static_cast<uint32_t>(high - low + 1));
  };
  for (int round = 0; round < 400; ++round) {
    const InterpType filter = kFilters[random.below(6)];
    const bool antialias = random.below(2), flipped = random.below(3) == 0;
    const int64_t h = pick(1, 60), w = pick(1, 90), channels = pick(1, 4);
    const auto roi = [&](int64_t extent) { return random.uniform(-3, static_cast<float>(extent) + 3); };
    Geometry g{.z = {},
               .y = axis(h, pick(1, 60), roi(h), roi(h), filter, antialias),
               .x = axis(w, pick(1, 90), 0, static_cast<float>(w), filter, antialias),
               .channels = channels};
    if (flipped) std::swap(g.x.start, g.x.end);
    const auto in = noise<uint8_t>(h * w * channels);
    const auto whole = resample<float>(g, in);
    PlaneRegion window{pick(0, g.y.out - 1), pick(0, g.x.out - 1), 0, 0};
    window.y1 = pick(window.y0 + 1, g.y.out);
    window.x1 = pick(window.x0 + 1, g.x.out);
    Geometry part = g;
    part.y.begin = window.y0, part.y.stop = window.y1;
    part.x.begin = window.x0, part.x.stop = window.x1;
    const auto expected = cut_out(whole, g.x.out, channels, window);
    ASSERT_EQ(resample<float>(part, in), expected) << "round " << round;

    const PlaneRegion held = source_of(part);
    ASSERT_GE(held.y0, 0);
    ASSERT_GE(held.x0, 0);
    ASSERT_LE(held.y1, h);
    ASSERT_LE(held.x1, w);
    ASSERT_EQ(resample<float>(part, cut_out(in, w, channels, held), held), expected) << "round " << round;
  }
}

TEST(Resample, ReadsOnlyWhatTheWindowTakes) {
  Geometry g{.z = {}, .y = axis(100, 100), .x = axis(100, 50, InterpType::kTriangular, true), .channels = 1};
  g.y.begin = 10, g.y.stop = 20;
  g.x.begin = 10, g.x.stop = 12;
  EXPECT_EQ(source_of(g), (PlaneRegion{10, 19, 20, 25}));
}

// Borders, flips, windows, and regions that stick out of the source, among them.
TEST(Resample, AFormulaMakesTheSameTapsAsTables) {
  Axis tables;
  int formulas = 0;
  for (uint64_t round = 0; round < 3000; ++round) {
    auto pick = [&, i = uint64_t{0}](int64_t low, int64_t high) mutable {
      return low + static_cast<int64_t>(mix64(round * 8 + i++) % static_cast<uint64_t>(high - low + 1));
    };
    const auto filter =
        static_cast<InterpType>(round % 3 == 0 ? pick(0, 5) : static_cast<int64_t>(InterpType::kLinear));
    const auto in = pick(1, 700);
    const auto start = static_cast<float>(pick(-90, 90)) / 7, end = static_cast<float>(in) + start / 3;
    AxisGeometry g = axis(in, pick(1, 300), start, end, filter, round % 5 == 0);
    if (round % 2) std::swap(g.start, g.end);
    g.begin = pick(0, g.out);
    g.stop = pick(g.begin, g.out);
    tables.assign(g);
    ASSERT_EQ(touched(g), std::pair(tables.begin, tables.end)) << "round " << round;
    auto formula = linear_axis(g);
    if (!formula) continue;
    ++formulas;
    ASSERT_EQ(tables.taps, 2);
    ASSERT_EQ(formula->size, tables.size());
    formula->held = 3;
    for (int32_t i = 0; i < formula->size; ++i) {
      float weights[2] = {};
      const auto at = static_cast<size_t>(i);
      ASSERT_EQ(formula->tap(i, weights), tables.first[at] - 3) << "round " << round << ", pixel " << i;
      ASSERT_EQ(weights[0], tables.weights[2 * at]) << "round " << round << ", pixel " << i;
      ASSERT_EQ(weights[1], tables.weights[2 * at + 1]) << "round " << round << ", pixel " << i;
    }
  }
  EXPECT_GT(formulas, 1000);
}

TEST(Resample, RoundsHalfAwayFromZeroAndClamps) {
  const std::vector<float> in = {0.5f,   1.5f,   2.5f,  0.49999997f, -0.5f,    -1.5f,    254.5f,    255.5f,
                                 300.0f, -10.0f, 1e30f, -1e30f,      32767.5f, 65534.5f, 8388609.0f};
  const auto n = static_cast<int64_t>(in.size());
  const Geometry g{.z = {}, .y = axis(1, 1), .x = axis(n, n), .channels = 1};
  const auto check = [&](auto type) {
    using T = decltype(type);
    const auto out = resample<T>(g, in);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], convert_sat<T>(in[i])) << in[i];
    EXPECT_EQ(resample<T>({.z = {}, .y = axis(1, 1), .x = axis(1, 20), .channels = 1},
                          std::vector<float>{std::numeric_limits<float>::quiet_NaN()}),
              std::vector<T>(20));
  };
  check(uint8_t{});
  check(int16_t{});
  check(uint16_t{});
}

TEST(Resample, ALaterPlanReplacesTheEarlier) {
  const auto in = noise<uint8_t>(20 * 20);
  const Geometry first{.z = {}, .y = axis(20, 7), .x = axis(20, 9), .channels = 1};
  const Geometry second{.z = {}, .y = axis(10, 30), .x = axis(40, 11, InterpType::kCubic, true), .channels = 1};
  Resampler resampler;
  for (const Geometry& g : {first, second, first}) {
    resampler.plan(g);
    Arena arena;
    std::vector<uint8_t> out(static_cast<size_t>(g.y.out * g.x.out));
    resampler.run(DType::kUInt8, reinterpret_cast<const std::byte*>(in.data()), {0, 0, g.y.in, g.x.in}, DType::kUInt8,
                  reinterpret_cast<std::byte*>(out.data()),
                  reinterpret_cast<float*>(arena.take(resampler.scratch_size() * sizeof(float))));
    EXPECT_EQ(out, resample<uint8_t>(g, in));
  }
}

TEST(Resample, RefusesAbsurdFilters) {
  Resampler resampler;
  EXPECT_THROW(resampler.plan({.z = {}, .y = axis(1, 1), .x = axis(10, 1, -1e9f, 1e9f, InterpType::kGaussian, true)}),
               ArgumentError);
}

}  // namespace
}  // namespace penstock::kernels

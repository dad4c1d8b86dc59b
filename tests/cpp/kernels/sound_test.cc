// Resampling, bands and decibels against their formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <penstock/error.h>

#include "core/instruction_sets.h"
#include "core/message.h"
#include "kernels/bands/bands.h"
#include "kernels/sound/convert.h"
#include "kernels/sound/decibels.h"
#include "kernels/sound/resample.h"

namespace penstock::kernels {
namespace {

std::vector<float> noise(size_t count) {
  std::vector<float> made(count);
  std::mt19937 random(5);
  for (float& x : made) x = static_cast<float>(random() % 2000) / 1000 - 1;
  return made;
}

TEST(Bands, RowsAreSumsOverTheirBand) {
  const std::vector<float> weights = noise(64);
  const Band bands[] = {{0, 9, weights.data()}, {3, 0, nullptr}, {2, 37, weights.data() + 5}, {39, 1, weights.data()}};
  test::with_every_instruction_set([&] {
    for (const int64_t inner : {1, 2, 3, 7, 16, 17, 63, 64, 65, 131}) {
      const std::vector<float> in = noise(static_cast<size_t>(40 * inner));
      std::vector<float> out(static_cast<size_t>(4 * inner));
      multiply_bands(bands, in.data(), inner, out.data());
      for (int64_t b = 0; b < 4; ++b)
        for (int64_t i = 0; i < inner; ++i) {
          double sum = 0;
          for (int64_t k = 0; k < bands[b].count; ++k)
            sum += static_cast<double>(bands[b].weights[k]) * in[static_cast<size_t>((bands[b].first + k) * inner + i)];
          ASSERT_NEAR(out[static_cast<size_t>(b * inner + i)], sum, 1e-5) << b << ", " << i << " of " << inner;
        }
    }
  });
}

double interpolated(const std::vector<float>& x, double at, int64_t lobes) {
  double sum = 0;
  for (int64_t i = 0; i < std::ssize(x); ++i) {
    const double d = static_cast<double>(i) - at, turn = std::numbers::pi * d;
    if (std::abs(d) > static_cast<double>(lobes)) continue;
    sum += x[static_cast<size_t>(i)] * (d == 0 ? 1 : std::sin(turn) / turn) * 0.5 *
           (1 + std::cos(turn / static_cast<double>(lobes)));
  }
  return sum;
}

TEST(SoundResampler, SamplesLieOnTheWindowedSinc) {
  const std::vector<float> x = noise(300);
  const std::pair<double, double> rates[] = {{44100, 16000}, {16000, 44100}, {1, 1},        {1, 0.5},
                                             {1, 1.1f},      {1, 0.237},     {300, 4001.5}, {7, 300}};
  test::with_every_instruction_set([&] {
    for (const double quality : {0.0, 30.0, 50.0, 100.0}) {
      for (const auto& [in_rate, out_rate] : rates) {
        SoundResampler resampler;
        resampler.prepare(in_rate, out_rate, quality);
        const int64_t length = resampler.length_of(std::ssize(x));
        EXPECT_EQ(length, static_cast<int64_t>(std::ceil(300 * out_rate / in_rate)));
        std::vector<float> out(static_cast<size_t>(2 * length)), room(1000);
        resample_channels(resampler, DType::kFloat, reinterpret_cast<const std::byte*>(x.data()), 300, 1, room.data(),
                          out.data(), length);
        for (int64_t i = 0; i < length; ++i)
          ASSERT_NEAR(out[static_cast<size_t>(i)],
                      interpolated(x, static_cast<double>(i) * in_rate / out_rate, lobes_of(quality)), 3e-6)
              << "sample " << i << " from " << in_rate << " to " << out_rate;
      }
    }
  });
}

TEST(SoundResampler, ChannelsLieSideBySide) {
  const std::vector<float> x = noise(120);
  SoundResampler resampler;
  resampler.prepare(3, 4, 50);
  const int64_t length = resampler.length_of(40);
  std::vector<float> all(static_cast<size_t>(3 * length)), one(static_cast<size_t>(length)), room(200), channel(40);
  resample_channels(resampler, DType::kFloat, reinterpret_cast<const std::byte*>(x.data()), 40, 3, room.data(),
                    all.data(), length);
  for (size_t c = 0; c < 3; ++c) {
    for (size_t i = 0; i < 40; ++i) channel[i] = x[i * 3 + c];
    resample_channels(resampler, DType::kFloat, reinterpret_cast<const std::byte*>(channel.data()), 40, 1, room.data(),
                      one.data(), length);
    for (size_t i = 0; i < one.size(); ++i) ASSERT_EQ(all[i * 3 + c], one[i]);
  }
}

TEST(SoundResampler, RatesAndLengthsBeyondReasonAreRefused) {
  SoundResampler resampler;
  for (const double rate : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL})
    test::expect_in("positive and finite", test::message_of<ArgumentError>([&] { resampler.prepare(1, rate, 50); }));
  for (const double quality : {-1.0, 100.5, std::numeric_limits<double>::quiet_NaN()})
    test::expect_in("`quality` out of range",
                    test::message_of<ArgumentError>([&] { resampler.prepare(1, 2, quality); }));
  resampler.prepare(1, 1e12, 50);
  test::expect_in("too many", test::message_of<ArgumentError>([&] { resampler.length_of(1000); }));
}

template <class T>
std::vector<T> from_float(const std::vector<float>& x) {
  std::vector<T> made(x.size());
  sound_from_float(x.data(), std::ssize(x), dtype_of<T>, reinterpret_cast<std::byte*>(made.data()));
  return made;
}

TEST(SoundTypes, IntegersFillTheirRange) {
  const std::vector<float> x = {-1, 0, 1, 0.25f, -2, 2, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(from_float<uint8_t>(x), (std::vector<uint8_t>{0, 128, 255, 159, 0, 255, 0}));
  EXPECT_EQ(from_float<int8_t>(x), (std::vector<int8_t>{-127, 0, 127, 32, -128, 127, 0}));
  EXPECT_EQ(from_float<int16_t>(x), (std::vector<int16_t>{-32767, 0, 32767, 8192, -32768, 32767, 0}));
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(from_float<int32_t>(x), (std::vector<int32_t>{-kMost, 0, kMost, 1 << 29, -kMost - 1, kMost, 0}));
}

TEST(SoundTypes, IntegersComeBackAsTheyWere) {
  const std::vector<int16_t> all = {-32767, -1234, -1, 0, 1, 16383, 32767};
  std::vector<float> x(all.size());
  sound_to_float(DType::kInt16, reinterpret_cast<const std::byte*>(all.data()), 1, std::ssize(all), x.data());
  EXPECT_EQ(x.back(), 1.f);
  EXPECT_EQ(from_float<int16_t>(x), all);
}

TEST(Decibels, FollowTheFormulaAndAreCutOff) {
  std::vector<float> x = noise(131);
  x[0] = 1e30f, x[1] = 0, x[2] = 1e-38f, x[3] = std::numeric_limits<float>::quiet_NaN();
  x[4] = std::numeric_limits<float>::infinity();
  std::vector<float> out(x.size());
  test::with_every_instruction_set([&] {
    decibels(x.data(), std::ssize(x), 2, 1e-8f, 10, out.data());
    for (size_t i = 5; i < x.size(); ++i) ASSERT_NEAR(out[i], 10 * std::log10(std::max(2 * x[i], 1e-8f)), 1e-4) << i;
    EXPECT_NEAR(out[0], 303.0103, 1e-3);
    for (const size_t i : {1, 2, 3}) EXPECT_NEAR(out[i], -80, 1e-4);
    EXPECT_EQ(out[4], std::numeric_limits<float>::infinity());
    EXPECT_EQ(largest(x.data() + 5, std::ssize(x) - 5), *std::max_element(x.begin() + 5, x.end()));
    EXPECT_EQ(largest(x.data() + 3, 1), std::numeric_limits<float>::lowest());
  });
}

}  // namespace
}  // namespace penstock::kernels

// Fourier transforms against sums over all samples.
#include "kernels/fourier/spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <penstock/error.h>

#include "core/instruction_sets.h"
#include "core/message.h"

namespace penstock::kernels {
namespace {

std::vector<float> noise(int64_t count) {
  std::vector<float> made(static_cast<size_t>(count));
  std::mt19937 random(5);
  for (float& x : made) x = static_cast<float>(random() % 2000) / 1000 - 1;
  return made;
}

std::vector<double> powers(const float* x, int64_t stride, int64_t count, const float* window, int64_t points) {
  std::vector<double> made;
  for (int64_t k = 0; k <= points / 2; ++k) {
    std::complex<double> sum = 0;
    for (int64_t j = 0; j < count; ++j)
      sum += std::polar(static_cast<double>(x[j * stride]) * (window ? window[j] : 1),
                        -2 * std::numbers::pi * static_cast<double>(j * k % points) / static_cast<double>(points));
    made.push_back(std::norm(sum));
  }
  return made;
}

/// Rows of a transform of columns that begin at the offsets, of which the last ones repeat.
struct Made {
  int64_t columns;
  std::vector<int32_t> offsets;
  std::vector<float> rows;
};
Made transform(int64_t points, RealColumns in, int64_t different, int64_t apart, bool root = false) {
  const Spectrum spectrum(points);
  Made made{spectrum.columns(), {}, {}};
  for (int64_t l = 0; l < made.columns; ++l)
    made.offsets.push_back(static_cast<int32_t>(std::min(l, different - 1) * apart));
  in.offsets = made.offsets.data();
  made.rows.resize(static_cast<size_t>(spectrum.bins() * made.columns));
  std::vector<float> work(spectrum.work_size() + 16);
  float* aligned = work.data();
  while (reinterpret_cast<uintptr_t>(aligned) % 64 != 0) ++aligned;
  spectrum.transform(in, root, aligned, made.rows.data(), made.columns);
  return made;
}

void expect_powers(const Made& made, int64_t column, const std::vector<double>& wanted) {
  double most = 0;
  for (const double power : wanted) most = std::max(most, power);
  for (size_t k = 0; k < wanted.size(); ++k)
    ASSERT_NEAR(made.rows[k * static_cast<size_t>(made.columns) + static_cast<size_t>(column)], wanted[k], most * 1e-5)
        << "bin " << k << " of column " << column;
}

TEST(Spectrum, AnyLengthIsTransformed) {
  std::vector<int64_t> lengths = {64, 81, 97, 100, 128, 194, 243, 400, 625, 1000, 1019, 1024};
  for (int64_t n = 1; n <= 40; ++n) lengths.push_back(n);
  test::with_every_instruction_set([&] {
    for (const int64_t n : lengths) {
      SCOPED_TRACE(n);
      const std::vector<float> samples = noise(n + 3 * 7);
      const Made made = transform(n, {.data = samples.data(), .count = n}, 4, 7);
      for (int64_t column = 0; column < made.columns; ++column)
        expect_powers(made, column, powers(samples.data() + std::min<int64_t>(column, 3) * 7, 1, n, nullptr, n));
    }
  });
}

TEST(Spectrum, WindowsStridesAndShortSignalsCount) {
  const std::vector<float> samples = noise(200), window = noise(11);
  for (const int64_t n : {11, 12, 17, 32}) {
    const Made made = transform(n, {.data = samples.data(), .stride = 3, .count = 11, .window = window.data()}, 3, 1);
    for (int64_t column = 0; column < std::min<int64_t>(made.columns, 3); ++column)
      expect_powers(made, column, powers(samples.data() + column, 3, 11, window.data(), n));
  }
}

TEST(Spectrum, MagnitudesAreRootsOfPowers) {
  const std::vector<float> samples = noise(30);
  const RealColumns in{.data = samples.data(), .count = 30};
  const Made power = transform(30, in, 1, 0), magnitude = transform(30, in, 1, 0, true);
  for (size_t i = 0; i < power.rows.size(); ++i) EXPECT_FLOAT_EQ(magnitude.rows[i], std::sqrt(power.rows[i]));
}

TEST(Spectrum, OneColumnsNaNDoesNotReachTheOthers) {
  for (const int64_t n : {16, 15, 38}) {
    std::vector<float> samples = noise(2 * n);
    samples[3] = std::numeric_limits<float>::quiet_NaN();
    const Made made = transform(n, {.data = samples.data(), .count = n}, 2, n);
    EXPECT_TRUE(std::isnan(made.rows[0])) << n;
    if (made.columns > 1) expect_powers(made, 1, powers(samples.data() + n, 1, n, nullptr, n));
  }
}

TEST(Spectrum, LongTransformsFindATone) {
  for (const int64_t n : {70000, 131072}) {  // by a chirp, and by powers of 2
    std::vector<float> tone(static_cast<size_t>(n));
    constexpr int64_t kTone = 1234;
    for (int64_t i = 0; i < n; ++i)
      tone[static_cast<size_t>(i)] = static_cast<float>(
          std::cos(2 * std::numbers::pi * static_cast<double>(i * kTone % n) / static_cast<double>(n)));
    const Made made = transform(n, {.data = tone.data(), .count = n}, 1, 0, true);
    const auto half = static_cast<float>(n) / 2;
    EXPECT_EQ(made.columns, 1);
    for (int64_t k = 0; k <= n / 2; ++k)
      ASSERT_NEAR(made.rows[static_cast<size_t>(k)], k == kTone ? half : 0, half * 1e-4) << k;
  }
}

TEST(Spectrum, LengthsBeyondReasonAreRefused) {
  for (const int64_t n : {int64_t{0}, int64_t{-5}, kMostFourierPoints + 1})
    test::expect_in("from 1 to 16777216 points", test::message_of<ArgumentError>([&] { Spectrum{n}; }));
}

}  // namespace
}  // namespace penstock::kernels

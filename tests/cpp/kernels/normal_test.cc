#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/random.h"
#include "kernels/elements/noise.h"
#include "kernels/noise/normals.h"

namespace penstock::kernels {
namespace {

/// Words from all scales, the ends among them.
uint32_t word(uint64_t i) {
  if (i < 64) return static_cast<uint32_t>((uint64_t{1} << (i / 2)) - i % 2);
  return static_cast<uint32_t>(mix64(i)) >> (i % 29);
}

TEST(Normal, LogarithmsAreTheLibrarys) {
  for (uint64_t i = 0; i < 100'000; ++i) {
    const uint32_t w = word(i);
    const double exact = std::log(open_unit(w));
    ASSERT_NEAR(log_unit(w), exact, 1e-7 - 2e-7 * exact) << w;
  }
}

TEST(Normal, TurnsAreTheLibrarys) {
  for (uint64_t i = 0; i < 100'000; ++i) {
    const uint32_t w = word(i);
    const double angle = 2 * std::numbers::pi * open_unit(w);
    const auto [x, y] = turned(w);
    ASSERT_NEAR(x, std::cos(angle), 2e-7) << w;
    ASSERT_NEAR(y, std::sin(angle), 2e-7) << w;
  }
}

template <class Real>
void expect_filled_as_one_by_one() {
  const NoiseTable table{.seed = 5, .epoch = 2, .sample = 77};
  for (const uint64_t block : {uint64_t{0}, uint64_t{3}}) {
    Real many[kNormals];
    fill_normals<Real>(table, block, many);
    NoiseBlock<Real> last;
    for (uint64_t i = 0; i < kNormals; ++i) ASSERT_EQ(many[i], normal_at(table, block * kNormals + i, last)) << i;
  }
}

TEST(Normal, ManyAreAsOneByOne) {
  expect_filled_as_one_by_one<float>();
  expect_filled_as_one_by_one<double>();
}

}  // namespace
}  // namespace penstock::kernels

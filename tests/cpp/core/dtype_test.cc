#include <gtest/gtest.h>

#include <cmath>

#include "core/convert.h"

namespace penstock {
namespace {

TEST(Float16, EveryValueSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float16 half;
    half.bits = static_cast<uint16_t>(bits);
    const float wide = static_cast<float>(half);
    if (std::isnan(wide)) continue;
    EXPECT_EQ(float16(wide).bits, bits);
  }
}

TEST(Float16, RoundsToNearestEven) {
  EXPECT_EQ(static_cast<float>(float16(2049.0f)), 2048.0f);
  EXPECT_EQ(static_cast<float>(float16(2051.0f)), 2052.0f);
  EXPECT_TRUE(std::isinf(static_cast<float>(float16(65520.0f))));
  EXPECT_EQ(static_cast<float>(float16(65519.0f)), 65504.0f);
}

TEST(ConvertSat, RoundsHalfAwayFromZeroAndClamps) {
  EXPECT_EQ(convert_sat<uint8_t>(2.5f), 3);
  EXPECT_EQ(convert_sat<int8_t>(-2.5f), -3);
  EXPECT_EQ(convert_sat<uint8_t>(300.0f), 255);
  EXPECT_EQ(convert_sat<uint8_t>(-1.0f), 0);
  EXPECT_EQ(convert_sat<int32_t>(1e20), 2147483647);
  EXPECT_EQ(convert_sat<int64_t>(1e30f), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(convert_sat<uint8_t>(std::nanf("")), 0);
  EXPECT_EQ(convert_sat<uint8_t>(int32_t{-5}), 0);
  EXPECT_EQ(convert_sat<int16_t>(uint32_t{70000}), 32767);
  EXPECT_EQ(convert_sat<bool>(0.5f), true);
  EXPECT_EQ(convert_sat<int32_t>(true), 1);
  EXPECT_EQ(static_cast<float>(convert_sat<float16>(1e6f)), 65504.0f);
}

}  // namespace
}  // namespace penstock

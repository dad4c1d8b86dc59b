#include <gtest/gtest.h>

#include <cmath>

#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock {
namespace {

TEST(DType, FactsAreThoseOfTheElements) {
  for (int number = 0; number <= 32; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (size_of(dtype) == 0) continue;
    dispatch_all(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      EXPECT_EQ(size_of(dtype), sizeof(T)) << name_of(dtype);
      EXPECT_EQ(is_signed(dtype), static_cast<float>(convert_sat<T>(-1.0f)) < 0) << name_of(dtype);
      EXPECT_EQ(is_floating(dtype), static_cast<float>(convert_sat<T>(0.5f)) == 0.5f) << name_of(dtype);
    });
    EXPECT_EQ(dtype_named(name_of(dtype)), dtype);
  }
  EXPECT_EQ(name_of(DType::kBFloat16), "bfloat16");
}

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

TEST(BFloat16, EveryValueSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    bfloat16 half;
    half.bits = static_cast<uint16_t>(bits);
    const float wide = static_cast<float>(half);
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(wide))));
    else
      EXPECT_EQ(bfloat16(wide).bits, bits);
  }
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(static_cast<float>(bfloat16(257.0f)), 256.0f);
  EXPECT_EQ(static_cast<float>(bfloat16(257.01f)), 258.0f);
  EXPECT_EQ(static_cast<float>(bfloat16(259.0f)), 260.0f);
  EXPECT_TRUE(std::isinf(static_cast<float>(bfloat16(3.4e38f))));
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

template <class To, class From>
void expect_kept() {
  for (const double x : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(convert_sat<double>(convert_sat<To>(convert_sat<From>(x))), x);
  EXPECT_TRUE(std::isnan(convert_sat<double>(convert_sat<To>(convert_sat<From>(std::nan(""))))));
}

TEST(ConvertSat, KeepsInfinitiesAndNaNAmongFloatingTypes) {
  expect_kept<float16, float>();
  expect_kept<float16, double>();
  expect_kept<float16, float16>();
  expect_kept<float16, bfloat16>();
  expect_kept<bfloat16, double>();
  expect_kept<float, double>();
  expect_kept<double, float16>();
}

TEST(ConvertSat, SaturatesWhatIsFiniteOnTheWayToFloat16) {
  for (const double x : {65520., 1e30, 1e300}) {
    EXPECT_EQ(static_cast<float>(convert_sat<float16>(x)), kMostFloat16) << x;
    EXPECT_EQ(static_cast<float>(convert_sat<float16>(-x)), -kMostFloat16) << x;
  }
  EXPECT_EQ(static_cast<float>(convert_sat<float16>(std::numeric_limits<int64_t>::max())), kMostFloat16);
}

}  // namespace
}  // namespace penstock

// The saturating conversion that every operator uses when it changes an element's type (DALI's rule, CPU side):
// floats round half away from zero and clamp, integers clamp, anything to bool is a test for non-zero. Among floating
// types infinities and NaN stay what they are.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include <penstock/dtype.h>

namespace penstock {

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

inline constexpr float kMostFloat16 = 65504.f;  ///< the largest number that float16 has

/// What float16 has in place of a float or double: finite numbers beyond its range saturate.
template <class T>
constexpr T in_half(T value) {
  constexpr T most = kMostFloat16, infinity = std::numeric_limits<T>::infinity();
  if (value > most && value < infinity) return most;
  return value < -most && value > -infinity ? -most : value;
}

template <class To, class From>
constexpr To convert_sat(From value) {
  if constexpr (is_small_float<From>) {
    return convert_sat<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_same_v<To, float16>) {
    if constexpr (std::is_same_v<From, double>)
      return float16(static_cast<float>(in_half(value)));
    else
      return float16(in_half(static_cast<float>(value)));
  } else if constexpr (std::is_same_v<To, bfloat16>) {
    return bfloat16(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_same_v<From, bool>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    // The comparison is written so that NaN becomes 0, and against the exact powers of two that bound the range.
    constexpr From high = static_cast<From>(std::numeric_limits<To>::max());
    constexpr From low = static_cast<From>(std::numeric_limits<To>::lowest());
    const From rounded = std::round(value);
    if (!(rounded >= low)) return std::isnan(value) ? To{} : std::numeric_limits<To>::lowest();
    if (rounded >= high) return std::numeric_limits<To>::max();
    return static_cast<To>(rounded);
  } else {
    if (std::cmp_less(value, std::numeric_limits<To>::lowest())) return std::numeric_limits<To>::lowest();
    if (std::cmp_greater(value, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  }
}

}  // namespace penstock

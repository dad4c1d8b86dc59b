// The functions of arithmetic, one element at a time: what CPUs and GPUs compute alike. Signed overflow wraps, as it
// does in DALI: all of it is computed unsigned.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace penstock::kernels::functors {

/// An unsigned type in which arithmetic on T wraps: never narrower than int, which C++ would promote to.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

// clang-format off
struct Plus {
  template <class T> constexpr T operator()(T a) const { return a; }
};
struct Minus {
  template <std::floating_point T> constexpr T operator()(T a) const { return -a; }
  template <Integer T> constexpr T operator()(T a) const {
    return static_cast<T>(Wrapping<T>{} - static_cast<Wrapping<T>>(a));
  }
};
struct Abs {
  template <std::floating_point T> constexpr T operator()(T a) const { return std::fabs(a); }
  template <Integer T> constexpr T operator()(T a) const {
    if constexpr (std::is_signed_v<T>)
      if (a < 0) return Minus{}(a);
    return a;
  }
};
struct Add {
  template <std::floating_point T> constexpr T operator()(T a, T b) const { return a + b; }
  template <Integer T> constexpr T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Sub {
  template <std::floating_point T> constexpr T operator()(T a, T b) const { return a - b; }
  template <Integer T> constexpr T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};
struct Mul {
  template <std::floating_point T> constexpr T operator()(T a, T b) const { return a * b; }
  template <Integer T> constexpr T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
  constexpr bool operator()(bool a, bool b) const { return a && b; }
};
struct Min {
  template <class T> constexpr T operator()(T a, T b) const { return a < b ? a : b; }
};
struct Max {
  template <class T> constexpr T operator()(T a, T b) const { return a > b ? a : b; }
};
struct Clamp {
  // In this order no-number stays: both give their second operand when one is none.
  template <class T> constexpr T operator()(T x, T low, T high) const { return Min{}(high, Max{}(low, x)); }
};
struct BitNot {
  template <Integer T> constexpr T operator()(T a) const { return static_cast<T>(~a); }
  constexpr bool operator()(bool a) const { return !a; }
};
struct BitAnd {
  template <std::integral T> constexpr T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
struct BitOr {
  template <std::integral T> constexpr T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
struct BitXor {
  template <std::integral T> constexpr T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
// clang-format on

/// Whether dividing by b only changes the sign: the smallest integer has no opposite, and dividing it so traps.
template <Integer T>
constexpr bool negates(T b) {
  return std::is_signed_v<T> && b == static_cast<T>(-1);
}

/// Integers must not be divided by zero: callers look first.
struct Div {
  template <std::floating_point T>
  constexpr T operator()(T a, T b) const {
    return a / b;
  }
  template <Integer T>
  constexpr T operator()(T a, T b) const {
    return negates(b) ? Minus{}(a) : static_cast<T>(a / b);
  }
};

struct Mod {
  template <std::floating_point T>
  constexpr T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
  template <Integer T>
  constexpr T operator()(T a, T b) const {
    return negates(b) ? T{0} : static_cast<T>(a % b);
  }
};

struct Pow {
  template <std::floating_point T>
  constexpr T operator()(T a, T b) const {
    return std::pow(a, b);
  }
  template <Integer T>
  constexpr T operator()(T base, T exponent) const {
    if constexpr (std::is_signed_v<T>)
      if (exponent < 0) return 0;
    Wrapping<T> power = static_cast<Wrapping<T>>(base), product = 1;
    for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left > 0; left = left >> 1) {
      if (left & 1) product *= power;
      power *= power;
    }
    return static_cast<T>(product);
  }
};

/// The bits of a shift that count: what the processor does with 32- and 64-bit registers.
template <class T>
constexpr int shift_by(T bits) {
  return static_cast<int>(bits) & (sizeof(T) == 8 ? 63 : 31);
}

struct ShiftLeft {
  template <Integer T>
  constexpr T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) << shift_by(b));
  }
  constexpr bool operator()(bool a, bool) const { return a; }
};

struct ShiftRight {
  template <Integer T>
  constexpr T operator()(T a, T b) const {
    return static_cast<T>(a >> shift_by(b));
  }
  constexpr bool operator()(bool a, bool b) const { return a && !b; }
};

// Of real numbers: integers are computed in float.
// clang-format off
template <class T> concept Real = std::floating_point<T>;
struct Fabs { template <Real T> constexpr T operator()(T x) const { return std::fabs(x); } };
struct Floor { template <Real T> constexpr T operator()(T x) const { return std::floor(x); } };
struct Ceil { template <Real T> constexpr T operator()(T x) const { return std::ceil(x); } };
struct Sqrt { template <Real T> constexpr T operator()(T x) const { return std::sqrt(x); } };
struct Cbrt { template <Real T> constexpr T operator()(T x) const { return std::cbrt(x); } };
struct Exp { template <Real T> constexpr T operator()(T x) const { return std::exp(x); } };
struct Log { template <Real T> constexpr T operator()(T x) const { return std::log(x); } };
struct Log2 { template <Real T> constexpr T operator()(T x) const { return std::log2(x); } };
struct Log10 { template <Real T> constexpr T operator()(T x) const { return std::log10(x); } };
struct Sin { template <Real T> constexpr T operator()(T x) const { return std::sin(x); } };
struct Cos { template <Real T> constexpr T operator()(T x) const { return std::cos(x); } };
struct Tan { template <Real T> constexpr T operator()(T x) const { return std::tan(x); } };
struct Asin { template <Real T> constexpr T operator()(T x) const { return std::asin(x); } };
struct Acos { template <Real T> constexpr T operator()(T x) const { return std::acos(x); } };
struct Atan { template <Real T> constexpr T operator()(T x) const { return std::atan(x); } };
struct Sinh { template <Real T> constexpr T operator()(T x) const { return std::sinh(x); } };
struct Cosh { template <Real T> constexpr T operator()(T x) const { return std::cosh(x); } };
struct Tanh { template <Real T> constexpr T operator()(T x) const { return std::tanh(x); } };
struct Asinh { template <Real T> constexpr T operator()(T x) const { return std::asinh(x); } };
struct Acosh { template <Real T> constexpr T operator()(T x) const { return std::acosh(x); } };
struct Atanh { template <Real T> constexpr T operator()(T x) const { return std::atanh(x); } };
struct Rsqrt { template <Real T> constexpr T operator()(T x) const { return T{1} / std::sqrt(x); } };
struct Divide { template <Real T> constexpr T operator()(T a, T b) const { return a / b; } };
struct Power { template <Real T> constexpr T operator()(T a, T b) const { return std::pow(a, b); } };
struct Atan2 { template <Real T> constexpr T operator()(T y, T x) const { return std::atan2(y, x); } };
// clang-format on

template <class A, class B>
inline constexpr bool kMixedSigns = std::integral<A>&& std::integral<B>&& std::is_signed_v<A> != std::is_signed_v<B>;

struct Equal {
  template <class A, class B>
  constexpr bool operator()(A a, B b) const {
    if constexpr (kMixedSigns<A, B>)
      return std::cmp_equal(a, b);
    else
      return a == b;
  }
};

struct Less {
  template <class A, class B>
  constexpr bool operator()(A a, B b) const {
    if constexpr (kMixedSigns<A, B>)
      return std::cmp_less(a, b);
    else
      return a < b;
  }
};

// "not less" would be wrong for NaN, so the four orders come from `less` and `equal`.
struct NotEqual {
  template <class A, class B>
  constexpr bool operator()(A a, B b) const {
    return !Equal{}(a, b);
  }
};
struct LessOrEqual {
  template <class A, class B>
  constexpr bool operator()(A a, B b) const {
    return Less{}(a, b) || Equal{}(a, b);
  }
};
struct Greater {
  template <class A, class B>
  constexpr bool operator()(A a, B b) const {
    return Less{}(b, a);
  }
};
struct GreaterOrEqual {
  template <class A, class B>
  constexpr bool operator()(A a, B b) const {
    return Less{}(b, a) || Equal{}(a, b);
  }
};

}  // namespace penstock::kernels::functors

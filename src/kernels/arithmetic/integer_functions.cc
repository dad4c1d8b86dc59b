// Functions that keep the operands' type. Signed overflow wraps, as it does in DALI: all of it is computed unsigned.
#include <cmath>
#include <concepts>

#include "core/check.h"
#include "kernels/arithmetic/blocks.h"

namespace penstock::kernels {
namespace {

/// An unsigned type in which arithmetic on T wraps: never narrower than int, which C++ would promote to.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

// clang-format off
struct Plus {
  template <class T> T operator()(T a) const { return a; }
};
struct Minus {
  template <std::floating_point T> T operator()(T a) const { return -a; }
  template <Integer T> T operator()(T a) const { return static_cast<T>(Wrapping<T>{} - static_cast<Wrapping<T>>(a)); }
};
struct Abs {
  template <std::floating_point T> T operator()(T a) const { return std::abs(a); }
  template <Integer T> T operator()(T a) const { return a < 0 ? Minus{}(a) : a; }
};
struct Add {
  template <std::floating_point T> T operator()(T a, T b) const { return a + b; }
  template <Integer T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Sub {
  template <std::floating_point T> T operator()(T a, T b) const { return a - b; }
  template <Integer T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};
struct Mul {
  template <std::floating_point T> T operator()(T a, T b) const { return a * b; }
  template <Integer T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
  bool operator()(bool a, bool b) const { return a && b; }
};
struct Min {
  template <class T> T operator()(T a, T b) const { return a < b ? a : b; }
};
struct Max {
  template <class T> T operator()(T a, T b) const { return a > b ? a : b; }
};
struct Clamp {
  template <class T> T operator()(T x, T low, T high) const { return Min{}(Max{}(x, low), high); }
};
struct BitNot {
  template <Integer T> T operator()(T a) const { return static_cast<T>(~a); }
  bool operator()(bool a) const { return !a; }
};
struct BitAnd {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
struct BitOr {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
struct BitXor {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
// clang-format on

template <class T>
void check_divisor(T divisor) {
  PENSTOCK_CHECK(divisor != 0, DataError, "integer division by zero; use `/`, or cast to a floating type first");
}

struct Div {
  template <std::floating_point T>
  T operator()(T a, T b) const {
    return a / b;
  }
  template <Integer T>
  T operator()(T a, T b) const {
    check_divisor(b);
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return Minus{}(a);  // the smallest integer has no opposite, and dividing it traps
    return static_cast<T>(a / b);
  }
};

struct Mod {
  template <std::floating_point T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
  template <Integer T>
  T operator()(T a, T b) const {
    check_divisor(b);
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
};

struct Pow {
  template <std::floating_point T>
  T operator()(T a, T b) const {
    return std::pow(a, b);
  }
  template <Integer T>
  T operator()(T base, T exponent) const {
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
int shift_by(T bits) {
  return static_cast<int>(bits) & (sizeof(T) == 8 ? 63 : 31);
}

struct ShiftLeft {
  template <Integer T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) << shift_by(b));
  }
  bool operator()(bool a, bool) const { return a; }
};

struct ShiftRight {
  template <Integer T>
  T operator()(T a, T b) const {
    return static_cast<T>(a >> shift_by(b));
  }
  bool operator()(bool a, bool b) const { return a && !b; }
};

constexpr Function kFunctions[] = {
    {"plus", "+", 1, Family::kProduct, code_of<Plus, All>},
    {"minus", "-", 1, Family::kArithmetic, code_of<Minus, Numbers>},
    {"abs", "abs", 1, Family::kArithmetic, code_of<Abs, Numbers>},
    {"add", "+", 2, Family::kArithmetic, code_of<Add, Numbers>},
    {"sub", "-", 2, Family::kArithmetic, code_of<Sub, Numbers>},
    {"mul", "*", 2, Family::kProduct, code_of<Mul, All>},
    {"div", "//", 2, Family::kArithmetic, code_of<Div, Numbers>},
    {"mod", "%", 2, Family::kArithmetic, code_of<Mod, Numbers>},
    {"pow", "**", 2, Family::kArithmetic, code_of<Pow, Numbers>},
    {"min", "min", 2, Family::kArithmetic, code_of<Min, Numbers>},
    {"max", "max", 2, Family::kArithmetic, code_of<Max, Numbers>},
    {"clamp", "clamp", 3, Family::kArithmetic, code_of<Clamp, Numbers>},
    {"bitnot", "~", 1, Family::kBitwise, code_of<BitNot, Bits>},
    {"bitand", "&", 2, Family::kBitwise, code_of<BitAnd, Bits>},
    {"bitor", "|", 2, Family::kBitwise, code_of<BitOr, Bits>},
    {"bitxor", "^", 2, Family::kBitwise, code_of<BitXor, Bits>},
    {"lshift", "<<", 2, Family::kBitwise, code_of<ShiftLeft, Bits>},
    {"rshift", ">>", 2, Family::kBitwise, code_of<ShiftRight, Bits>},
};

}  // namespace

std::span<const Function> integer_functions() { return kFunctions; }

}  // namespace penstock::kernels

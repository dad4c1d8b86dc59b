// Functions of elements of all types, as values.h holds them, for CPUs and GPUs.
#pragma once

#include <cstdint>

#include <penstock/dtype.h>

#include "kernels/arithmetic/code.h"
#include "kernels/arithmetic/functors.h"
#include "kernels/elements/values.h"

namespace penstock::kernels {

/// Comparisons of values of two types; 2 where `code` is none.
template <class A, class B>
constexpr uint64_t compare_values(Code code, A a, B b) {
  using namespace functors;
  switch (code) {
    case Code::kEqual:
      return Equal{}(a, b);
    case Code::kNotEqual:
      return NotEqual{}(a, b);
    case Code::kLess:
      return Less{}(a, b);
    case Code::kLessOrEqual:
      return LessOrEqual{}(a, b);
    case Code::kGreater:
      return Greater{}(a, b);
    case Code::kGreaterOrEqual:
      return GreaterOrEqual{}(a, b);
    default:
      return 2;
  }
}

/// Functions of reals. Floats are computed in double: then CPUs and GPUs, whose libraries differ in the last bit,
/// agree.
template <class = void>
[[gnu::noinline]] constexpr double real_function(Code code, double a, double b) {
  using namespace functors;
  switch (code) {
    // clang-format off
    case Code::kFloor: return Floor{}(a);
    case Code::kCeil: return Ceil{}(a);
    case Code::kSqrt: return Sqrt{}(a);
    case Code::kCbrt: return Cbrt{}(a);
    case Code::kExp: return Exp{}(a);
    case Code::kLog: return Log{}(a);
    case Code::kLog2: return Log2{}(a);
    case Code::kLog10: return Log10{}(a);
    case Code::kSin: return Sin{}(a);
    case Code::kCos: return Cos{}(a);
    case Code::kTan: return Tan{}(a);
    case Code::kAsin: return Asin{}(a);
    case Code::kAcos: return Acos{}(a);
    case Code::kAtan: return Atan{}(a);
    case Code::kSinh: return Sinh{}(a);
    case Code::kCosh: return Cosh{}(a);
    case Code::kTanh: return Tanh{}(a);
    case Code::kAsinh: return Asinh{}(a);
    case Code::kAcosh: return Acosh{}(a);
    case Code::kAtanh: return Atanh{}(a);
    case Code::kRsqrt: return Rsqrt{}(a);
    case Code::kAtan2: return Atan2{}(a, b);
    case Code::kMod: return Mod{}(a, b);
    case Code::kPow:
    case Code::kPower: return Power{}(a, b);
    default: return Plus{}(a);
      // clang-format on
  }
}

template <class T>
constexpr uint64_t float_function(Code code, T a, T b) {
  using namespace functors;
  switch (code) {
    // clang-format off
    case Code::kAdd: return put(Add{}(a, b));
    case Code::kSub: return put(Sub{}(a, b));
    case Code::kMul: return put(Mul{}(a, b));
    case Code::kDiv:
    case Code::kDivide: return put(Divide{}(a, b));
    case Code::kMin: return put(Min{}(a, b));
    case Code::kMax: return put(Max{}(a, b));
    case Code::kMinus: return put(Minus{}(a));
    case Code::kAbs:
    case Code::kFabs: return put(Fabs{}(a));
      // clang-format on
    default:
      break;
  }
  if (const uint64_t truth = compare_values(code, a, b); truth < 2) return truth;
  return put(static_cast<T>(real_function(code, static_cast<double>(a), static_cast<double>(b))));
}

/// @param type of the operands, which says how many bits of a shift count
template <class T>
[[gnu::noinline]] constexpr uint64_t whole_function(Code code, DType type, T a, T b) {
  using namespace functors;
  const bool narrow = width_of(type) < 8, truth = type == DType::kBool;
  switch (code) {
    // clang-format off
    case Code::kMinus: return put(Minus{}(a));
    case Code::kAbs: return put(Abs{}(a));
    case Code::kAdd: return put(Add{}(a, b));
    case Code::kSub: return put(Sub{}(a, b));
    case Code::kMul: return put(Mul{}(a, b));
    case Code::kDiv: return b == 0 ? 0 : put(Div{}(a, b));
    case Code::kMod: return b == 0 ? 0 : put(Mod{}(a, b));
    case Code::kPow: return put(Pow{}(a, b));
    case Code::kMin: return put(Min{}(a, b));
    case Code::kMax: return put(Max{}(a, b));
    case Code::kBitNot: return put(BitNot{}(a));
    case Code::kBitAnd: return put(BitAnd{}(a, b));
    case Code::kBitOr: return put(BitOr{}(a, b));
    case Code::kBitXor: return put(BitXor{}(a, b));
    case Code::kShiftLeft: return put(ShiftLeft{}(a, truth ? T{0} : narrow ? static_cast<T>(b & 31) : b));
    case Code::kShiftRight: return put(ShiftRight{}(a, narrow ? static_cast<T>(b & 31) : b));
      // clang-format on
    default:
      break;
  }
  const uint64_t compared = compare_values(code, a, b);
  return compared < 2 ? compared : put(a);
}

/// One function of one element. `a` is of type `type`, `b` of type `other`, which differ where int64 meets uint64 in a
/// comparison.
template <class Halves>
constexpr uint64_t function_value(Code code, DType type, DType other, uint64_t a, uint64_t b) {
  const Kind kind = kind_of(type);
  if (kind == Kind::kFloat) {
    const uint64_t result = float_function(code, get<float>(a), get<float>(b));
    return code >= Code::kEqual || type == DType::kFloat ? result : halved<Halves>(type, result);
  }
  if (kind == Kind::kDouble) return float_function(code, get<double>(a), get<double>(b));
  if (kind == Kind::kUnsigned)
    return kind_of(other) == kind ? whole_function(code, type, a, b) : compare_values(code, a, get<int64_t>(b));
  if (kind_of(other) == Kind::kUnsigned) return compare_values(code, get<int64_t>(a), b);
  const uint64_t result = whole_function(code, type, get<int64_t>(a), get<int64_t>(b));
  return code >= Code::kEqual ? result : wrapped(type, result);
}

}  // namespace penstock::kernels

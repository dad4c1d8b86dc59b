// Elements of all types in one register of 64 bits: integers sign- or zero-extended, floats and doubles as their bits,
// half precision as float. Functions and conversions of such values, for CPUs and GPUs.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <penstock/dtype.h>

#include "core/convert.h"
#include "kernels/arithmetic/code.h"
#include "kernels/arithmetic/functors.h"

namespace penstock::kernels {

enum class Kind : uint8_t { kSigned, kUnsigned, kFloat, kDouble };

constexpr Kind kind_of(DType dtype) {
  switch (dtype) {
    case DType::kUInt64:
      return Kind::kUnsigned;
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat:
      return Kind::kFloat;
    case DType::kFloat64:
      return Kind::kDouble;
    default:
      return Kind::kSigned;
  }
}

constexpr int width_of(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
    case DType::kInt8:
    case DType::kBool:
      return 1;
    case DType::kUInt16:
    case DType::kInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
    case DType::kUInt32:
    case DType::kInt32:
    case DType::kFloat:
      return 4;
    default:
      return 8;
  }
}

constexpr bool is_whole(DType dtype) {
  const Kind kind = kind_of(dtype);
  return kind == Kind::kSigned || kind == Kind::kUnsigned;
}

template <class T>
constexpr uint64_t put(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (std::is_signed_v<T>)
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  else
    return static_cast<uint64_t>(value);
}

template <class T>
constexpr T get(uint64_t value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(value));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(value);
  else
    return static_cast<T>(value);
}

/// Upper half of a float, rounded to nearest even.
template <class = void>
constexpr uint16_t bfloat16_bits(float value) {
  const auto x = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>((x >> 16) | 0x40u);
  return static_cast<uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
}

/// @tparam Halves converts between float and the bits of float16
template <class Halves, class = void>
constexpr uint64_t load_value(DType dtype, const std::byte* data, int64_t i) {
  const auto at = [&]<class T>(T) { return put(reinterpret_cast<const T*>(data)[i]); };
  switch (dtype) {
    case DType::kUInt8:
    case DType::kBool:
      return at(uint8_t{});
    case DType::kInt8:
      return at(int8_t{});
    case DType::kUInt16:
      return at(uint16_t{});
    case DType::kInt16:
      return at(int16_t{});
    case DType::kUInt32:
    case DType::kFloat:
      return at(uint32_t{});
    case DType::kInt32:
      return at(int32_t{});
    case DType::kFloat16:
      return put(Halves::to_float(reinterpret_cast<const uint16_t*>(data)[i]));
    case DType::kBFloat16:
      return uint64_t{reinterpret_cast<const uint16_t*>(data)[i]} << 16;
    default:
      return at(uint64_t{});
  }
}

template <class Halves, class = void>
constexpr void store_value(DType dtype, std::byte* data, int64_t i, uint64_t value) {
  if (dtype == DType::kFloat16)
    reinterpret_cast<uint16_t*>(data)[i] = Halves::to_bits(get<float>(value));
  else if (dtype == DType::kBFloat16)
    reinterpret_cast<uint16_t*>(data)[i] = static_cast<uint16_t>(value >> 16);
  else if (width_of(dtype) == 1)
    reinterpret_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(value);
  else if (width_of(dtype) == 2)
    reinterpret_cast<uint16_t*>(data)[i] = static_cast<uint16_t>(value);
  else if (width_of(dtype) == 4)
    reinterpret_cast<uint32_t*>(data)[i] = static_cast<uint32_t>(value);
  else
    reinterpret_cast<uint64_t*>(data)[i] = value;
}

/// Leaves of an integer what fits the type.
template <class = void>
constexpr uint64_t wrapped(DType type, uint64_t value) {
  switch (type) {
    case DType::kUInt8:
      return static_cast<uint8_t>(value);
    case DType::kInt8:
      return put(static_cast<int8_t>(value));
    case DType::kUInt16:
      return static_cast<uint16_t>(value);
    case DType::kInt16:
      return put(static_cast<int16_t>(value));
    case DType::kUInt32:
      return static_cast<uint32_t>(value);
    case DType::kInt32:
      return put(static_cast<int32_t>(value));
    case DType::kBool:
      return value & 1;
    default:
      return value;
  }
}

template <class To>
constexpr uint64_t converted_to(Kind from, uint64_t value) {
  switch (from) {
    case Kind::kSigned:
      return put(convert_sat<To>(get<int64_t>(value)));
    case Kind::kUnsigned:
      return put(convert_sat<To>(value));
    case Kind::kFloat:
      return put(convert_sat<To>(get<float>(value)));
    default:
      return put(convert_sat<To>(get<double>(value)));
  }
}

/// Integers that 32 bits with a sign hold.
constexpr bool is_small(DType dtype) {
  return kind_of(dtype) == Kind::kSigned && dtype != DType::kInt64 && dtype != DType::kUInt32;
}

/// convert_sat<uint8_t> without branches: adding the largest float below one half and cutting off rounds halves up, and
/// leaves the float just below a half where it is.
template <class = void>
constexpr uint8_t to_byte(float x) {
  x = x > 0 ? x : 0.f;  // NaN, too
  x = x < 255 ? x : 255.f;
  return static_cast<uint8_t>(static_cast<int32_t>(x + 0x1.fffffep-2f));
}

/// A float as its half of that type holds it.
template <class Halves>
constexpr uint64_t halved(DType type, uint64_t value) {
  if (type == DType::kBFloat16) return uint64_t{bfloat16_bits(get<float>(value))} << 16;
  const auto x = get<float>(value);
  return put(Halves::to_float(Halves::to_bits(x > 65504.f ? 65504.f : x < -65504.f ? -65504.f : x)));
}

/// Rounds and saturates, as convert_sat does.
template <class Halves>
[[gnu::noinline]] constexpr uint64_t convert_value(DType from, DType to, uint64_t value) {
  const Kind kind = kind_of(from);
  switch (to) {
    case DType::kUInt8:
      return converted_to<uint8_t>(kind, value);
    case DType::kInt8:
      return converted_to<int8_t>(kind, value);
    case DType::kUInt16:
      return converted_to<uint16_t>(kind, value);
    case DType::kInt16:
      return converted_to<int16_t>(kind, value);
    case DType::kUInt32:
      return converted_to<uint32_t>(kind, value);
    case DType::kInt32:
      return converted_to<int32_t>(kind, value);
    case DType::kUInt64:
      return converted_to<uint64_t>(kind, value);
    case DType::kInt64:
      return converted_to<int64_t>(kind, value);
    case DType::kBool:
      return converted_to<bool>(kind, value);
    case DType::kFloat64:
      return converted_to<double>(kind, value);
    case DType::kFloat:
      return converted_to<float>(kind, value);
    default:
      return halved<Halves>(to, converted_to<float>(kind, value));
  }
}

/// As convert_value, but integers of one width keep their bits.
template <class Halves>
constexpr uint64_t wrap_value(DType from, DType to, uint64_t value) {
  if (from == to) return value;
  const bool bits = is_whole(from) && is_whole(to) && from != DType::kBool && width_of(from) == width_of(to);
  if (bits) return wrapped(to, value);
  if (to == DType::kFloat && kind_of(from) == Kind::kSigned) return put(static_cast<float>(get<int64_t>(value)));
  return convert_value<Halves>(from, to, value);
}

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

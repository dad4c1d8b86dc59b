// Elements of all types in one register of 64 bits: integers sign- or zero-extended, floats and doubles as their bits,
// half precision as float. Conversions of such values, for CPUs and GPUs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <penstock/dtype.h>

#include "core/convert.h"

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

/// The smaller one of float and double that holds all values of a type of at most 16 bits, or of a float.
constexpr DType real_type(DType dtype) {
  return width_of(dtype) <= 2 || dtype == DType::kFloat ? DType::kFloat : DType::kFloat64;
}
template <class T>
using RealOf = std::conditional_t<real_type(dtype_of<T>) == DType::kFloat, float, double>;

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
  return put(Halves::to_float(Halves::to_bits(in_half(get<float>(value)))));
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
      if (kind == Kind::kDouble && to == DType::kFloat16) value = put(in_half(get<double>(value)));
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

}  // namespace penstock::kernels

/// @file
/// Element types of tensors. The numbers are DALI's, so that `types.FLOAT` of either library means the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace penstock {

/// Type of a tensor's elements.
enum class DType : int32_t {
  kNone = -1,      ///< not said
  kUInt8 = 0,      ///< uint8_t
  kUInt16 = 1,     ///< uint16_t
  kUInt32 = 2,     ///< uint32_t
  kUInt64 = 3,     ///< uint64_t
  kInt8 = 4,       ///< int8_t
  kInt16 = 5,      ///< int16_t
  kInt32 = 6,      ///< int32_t
  kInt64 = 7,      ///< int64_t
  kFloat16 = 8,    ///< IEEE half precision: penstock::float16
  kFloat = 9,      ///< IEEE single precision: float
  kFloat64 = 10,   ///< IEEE double precision: double
  kBool = 11,      ///< bool: one byte, 0 or 1
  kBFloat16 = 32,  ///< the upper half of a float: penstock::bfloat16; unknown to DALI and outside its numbering
};

/// IEEE half precision as storage: arithmetic happens in float.
struct float16 {
  uint16_t bits = 0;    ///< sign, 5 bits of exponent, 10 of fraction
  float16() = default;  ///< 0
  /// Rounds to nearest even; out-of-range values become infinities (saturation is the caller's business).
  explicit float16(float value);
  /// The same number; exact.
  explicit operator float() const;
};

/// The upper half of a float as storage: arithmetic happens in float.
struct bfloat16 {
  uint16_t bits = 0;     ///< sign, 8 bits of exponent, 7 of fraction
  bfloat16() = default;  ///< 0
  /// Rounds to nearest even.
  explicit bfloat16(float value);
  /// The same number; exact.
  explicit operator float() const;
};

/// Bytes of one element; 0 for kNone.
size_t size_of(DType dtype);
/// "uint8", "float16", ...; the name NumPy gives the type.
std::string_view name_of(DType dtype);
/// The type of that name; kNone where there is none.
DType dtype_named(std::string_view name);
/// True for float16, bfloat16, float and float64.
bool is_floating(DType dtype);
/// True for types that have negative numbers.
bool is_signed(DType dtype);

/// The DType of a C++ type as its member `value`. It is incomplete where there is none.
template <class T>
struct DTypeOf;
/// @cond
// clang-format off
template <> struct DTypeOf<uint8_t>  { static constexpr DType value = DType::kUInt8; };
template <> struct DTypeOf<uint16_t> { static constexpr DType value = DType::kUInt16; };
template <> struct DTypeOf<uint32_t> { static constexpr DType value = DType::kUInt32; };
template <> struct DTypeOf<uint64_t> { static constexpr DType value = DType::kUInt64; };
template <> struct DTypeOf<int8_t>   { static constexpr DType value = DType::kInt8; };
template <> struct DTypeOf<int16_t>  { static constexpr DType value = DType::kInt16; };
template <> struct DTypeOf<int32_t>  { static constexpr DType value = DType::kInt32; };
template <> struct DTypeOf<int64_t>  { static constexpr DType value = DType::kInt64; };
template <> struct DTypeOf<float16>  { static constexpr DType value = DType::kFloat16; };
template <> struct DTypeOf<bfloat16> { static constexpr DType value = DType::kBFloat16; };
template <> struct DTypeOf<float>    { static constexpr DType value = DType::kFloat; };
template <> struct DTypeOf<double>   { static constexpr DType value = DType::kFloat64; };
template <> struct DTypeOf<bool>     { static constexpr DType value = DType::kBool; };
// clang-format on
/// @endcond
/// The DType of a C++ type: `dtype_of<float>` is DType::kFloat. Other types do not compile.
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace penstock

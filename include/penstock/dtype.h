// Element types of tensors. The numbers are DALI's, so that `types.FLOAT` of either library means the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace penstock {

enum class DType : int32_t {
  kNone = -1,
  kUInt8 = 0,
  kUInt16 = 1,
  kUInt32 = 2,
  kUInt64 = 3,
  kInt8 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kFloat16 = 8,
  kFloat = 9,
  kFloat64 = 10,
  kBool = 11,
  kBFloat16 = 32,  // unknown to DALI; outside its numbering
};

/// IEEE half precision as storage: arithmetic happens in float.
struct float16 {
  uint16_t bits = 0;
  float16() = default;
  /// Rounds to nearest even; out-of-range values become infinities (saturation is the caller's business).
  explicit float16(float value);
  explicit operator float() const;
};

/// The upper half of a float as storage: arithmetic happens in float.
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  /// Rounds to nearest even.
  explicit bfloat16(float value);
  explicit operator float() const;
};

/// Bytes of one element; 0 for kNone.
size_t size_of(DType dtype);
/// "uint8", "float16", ...; the name NumPy gives the type.
std::string_view name_of(DType dtype);
/// The type of that name; kNone where there is none.
DType dtype_named(std::string_view name);
bool is_floating(DType dtype);
bool is_signed(DType dtype);

template <class T>
struct DTypeOf;
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
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace penstock

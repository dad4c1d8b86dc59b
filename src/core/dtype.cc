#include <penstock/dtype.h>

#include <array>
#include <bit>
#include <cmath>

namespace penstock {
namespace {

struct Facts {
  DType dtype;
  size_t size;
  bool floating, is_signed;
  std::string_view name;
};

// By number as far as numbers follow each other: each tensor's size in bytes is looked up here.
constexpr std::array kFacts = {
    Facts{DType::kUInt8, 1, false, false, "uint8"},     Facts{DType::kUInt16, 2, false, false, "uint16"},
    Facts{DType::kUInt32, 4, false, false, "uint32"},   Facts{DType::kUInt64, 8, false, false, "uint64"},
    Facts{DType::kInt8, 1, false, true, "int8"},        Facts{DType::kInt16, 2, false, true, "int16"},
    Facts{DType::kInt32, 4, false, true, "int32"},      Facts{DType::kInt64, 8, false, true, "int64"},
    Facts{DType::kFloat16, 2, true, true, "float16"},   Facts{DType::kFloat, 4, true, true, "float32"},
    Facts{DType::kFloat64, 8, true, true, "float64"},   Facts{DType::kBool, 1, false, false, "bool"},
    Facts{DType::kBFloat16, 2, true, true, "bfloat16"}, Facts{DType::kNone, 0, false, false, "none"},
};

constexpr size_t kNumbered = static_cast<size_t>(DType::kBool) + 1;
constexpr bool numbers_follow() {
  for (size_t i = 0; i < kNumbered; ++i)
    if (kFacts[i].dtype != static_cast<DType>(i)) return false;
  return true;
}
static_assert(numbers_follow());

const Facts& facts(DType dtype) {
  if (const auto number = static_cast<size_t>(dtype); number < kNumbered) return kFacts[number];
  for (size_t i = kNumbered; i < kFacts.size(); ++i)
    if (kFacts[i].dtype == dtype) return kFacts[i];
  return kFacts.back();
}

}  // namespace

size_t size_of(DType dtype) { return facts(dtype).size; }
std::string_view name_of(DType dtype) { return facts(dtype).name; }
bool is_floating(DType dtype) { return facts(dtype).floating; }
bool is_signed(DType dtype) { return facts(dtype).is_signed; }

DType dtype_named(std::string_view name) {
  for (const Facts& f : kFacts)
    if (f.name == name) return f.dtype;
  return DType::kNone;
}

// Rounding by arithmetic: adding a power of two aligns the mantissa so that the FPU rounds to nearest even for us.
float16::float16(float value) {
  const uint32_t x = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (x >> 16) & 0x8000u;
  const uint32_t magnitude = x & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    bits = static_cast<uint16_t>(sign | 0x7e00u);
  } else if (magnitude >= 0x477ff000u) {  // 65520 and above round to infinity
    bits = static_cast<uint16_t>(sign | 0x7c00u);
  } else if (magnitude < 0x38800000u) {  // below 2^-14: subnormal
    const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    bits = static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(aligned) - 0x3f000000u));
  } else {
    const uint32_t odd = (magnitude >> 13) & 1u;
    bits = static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
  }
}

float16::operator float() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  if (magnitude >= 0x400u) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
  const float small = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -small : small;
}

bfloat16::bfloat16(float value) {
  const uint32_t x = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) {
    bits = static_cast<uint16_t>((x >> 16) | 0x40u);
  } else {
    bits = static_cast<uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
  }
}

bfloat16::operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

}  // namespace penstock

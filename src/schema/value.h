// How argument values become fields of an operator's argument struct, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/arg_value.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock {

enum class ArgType {
  kBool,
  kInt,
  kFloat,
  kString,
  kIntList,
  kFloatList,
  kStringList,
  kDict,
  kDType,
  kImageType,
  kInterpType
};

/// "float", "list of int", "DALIDataType", ...: as documentation and error messages spell it.
std::string_view name_of(ArgType type);
/// The value as Python would write it.
std::string to_string(const ArgValue& value);

// How a field of an argument struct takes a value, and what it is called. Converting throws TypeError when the kind is
// wrong; whole floats become integers and single values become lists of one, as DALI allows.
void assign(bool& field, const ArgValue& value);
void assign(int32_t& field, const ArgValue& value);
void assign(int64_t& field, const ArgValue& value);
void assign(float& field, const ArgValue& value);
void assign(double& field, const ArgValue& value);
void assign(std::string& field, const ArgValue& value);
void assign(std::vector<int64_t>& field, const ArgValue& value);
void assign(std::vector<float>& field, const ArgValue& value);
void assign(std::vector<std::string>& field, const ArgValue& value);
void assign(Dict& field, const ArgValue& value);
void assign(DType& field, const ArgValue& value);
void assign(ImageType& field, const ArgValue& value);
void assign(InterpType& field, const ArgValue& value);
template <class T>
void assign(std::optional<T>& field, const ArgValue& value) {
  assign(field.emplace(), value);
}

// clang-format off
template <class T> struct ArgTypeOf;
template <> struct ArgTypeOf<bool>                     { static constexpr ArgType value = ArgType::kBool; };
template <> struct ArgTypeOf<int32_t>                  { static constexpr ArgType value = ArgType::kInt; };
template <> struct ArgTypeOf<int64_t>                  { static constexpr ArgType value = ArgType::kInt; };
template <> struct ArgTypeOf<float>                    { static constexpr ArgType value = ArgType::kFloat; };
template <> struct ArgTypeOf<double>                   { static constexpr ArgType value = ArgType::kFloat; };
template <> struct ArgTypeOf<std::string>              { static constexpr ArgType value = ArgType::kString; };
template <> struct ArgTypeOf<std::vector<int64_t>>     { static constexpr ArgType value = ArgType::kIntList; };
template <> struct ArgTypeOf<std::vector<float>>       { static constexpr ArgType value = ArgType::kFloatList; };
template <> struct ArgTypeOf<std::vector<std::string>> { static constexpr ArgType value = ArgType::kStringList; };
template <> struct ArgTypeOf<Dict>                     { static constexpr ArgType value = ArgType::kDict; };
template <> struct ArgTypeOf<DType>                    { static constexpr ArgType value = ArgType::kDType; };
template <> struct ArgTypeOf<ImageType>                { static constexpr ArgType value = ArgType::kImageType; };
template <> struct ArgTypeOf<InterpType>               { static constexpr ArgType value = ArgType::kInterpType; };
template <class T> struct ArgTypeOf<std::optional<T>> : ArgTypeOf<T> {};
// clang-format on

// The value that a default-constructed field stands for.
inline ArgValue value_of(bool field) { return field; }
inline ArgValue value_of(int32_t field) { return static_cast<int64_t>(field); }
inline ArgValue value_of(int64_t field) { return field; }
ArgValue value_of(float field);  // the shortest decimal that reads back as this float
inline ArgValue value_of(double field) { return field; }
inline ArgValue value_of(const std::string& field) { return field; }
inline ArgValue value_of(const std::vector<int64_t>& field) { return field; }
ArgValue value_of(const std::vector<float>& field);
inline ArgValue value_of(const std::vector<std::string>& field) { return field; }
inline ArgValue value_of(const Dict& field) { return field; }
inline ArgValue value_of(DType field) { return static_cast<int64_t>(field); }
inline ArgValue value_of(ImageType field) { return static_cast<int64_t>(field); }
inline ArgValue value_of(InterpType field) { return static_cast<int64_t>(field); }
template <class T>
[[gnu::noinline]] ArgValue value_of(const std::optional<T>& field) {  // GCC 12, inlining: "may be used uninitialized"
  return field ? value_of(*field) : ArgValue{};
}

}  // namespace penstock

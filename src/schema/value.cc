#include "schema/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/check.h"

namespace penstock {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

[[noreturn]] void refuse(std::string_view wanted, const ArgValue& value) {
  fail<TypeError>("expected {}, got {}", wanted, to_string(value));
}

/// The one number that the value stands for; `whole` asks for an integer.
double number(const ArgValue& value, std::string_view wanted) {
  return std::visit(Overloaded{
                        [](bool x) -> double { return x; },
                        [](int64_t x) -> double { return static_cast<double>(x); },
                        [](double x) -> double { return x; },
                        [&](const std::vector<int64_t>& x) -> double {
                          if (x.size() != 1) refuse(wanted, value);
                          return static_cast<double>(x[0]);
                        },
                        [&](const std::vector<double>& x) -> double {
                          if (x.size() != 1) refuse(wanted, value);
                          return x[0];
                        },
                        [&](const auto&) -> double { refuse(wanted, value); },
                    },
                    value);
}

int64_t integer(const ArgValue& value, std::string_view wanted) {
  if (const auto* exact = std::get_if<int64_t>(&value)) return *exact;  // doubles hold only 53 bits
  const double x = number(value, wanted);
  const bool fits = std::abs(x) < 0x1p63;  // false for infinity and NaN, too
  if (!fits || x != std::trunc(x)) refuse(wanted, value);
  return static_cast<int64_t>(x);
}

template <class T>
T ranged(const ArgValue& value) {
  const int64_t x = integer(value, "an integer");
  PENSTOCK_CHECK(std::in_range<T>(x), ArgumentError, "{} does not fit a 32-bit integer", x);
  return static_cast<T>(x);
}

}  // namespace

std::string_view name_of(ArgType type) {
  switch (type) {
    case ArgType::kBool:
      return "bool";
    case ArgType::kInt:
      return "int";
    case ArgType::kFloat:
      return "float";
    case ArgType::kString:
      return "str";
    case ArgType::kIntList:
      return "list of int";
    case ArgType::kFloatList:
      return "list of float";
    case ArgType::kStringList:
      return "list of str";
    case ArgType::kDict:
      return "dict of str";
    case ArgType::kDType:
      return "DALIDataType";
    case ArgType::kImageType:
      return "DALIImageType";
    case ArgType::kInterpType:
      return "DALIInterpType";
  }
  fail<InternalError>("unknown argument type {}", static_cast<int>(type));
}

std::string to_string(const ArgValue& value) {
  return std::visit(Overloaded{
                        [](std::monostate) -> std::string { return "None"; },
                        [](bool x) -> std::string { return x ? "True" : "False"; },
                        [](int64_t x) -> std::string { return fmt::format("{}", x); },
                        [](double x) -> std::string { return fmt::format("{}", x); },
                        [](const std::string& x) -> std::string { return fmt::format("'{}'", x); },
                        [](const std::vector<std::string>& x) -> std::string {
                          return x.empty() ? "[]" : fmt::format("['{}']", fmt::join(x, "', '"));
                        },
                        [](const Dict& x) -> std::string {
                          std::vector<std::string> entries;
                          for (const auto& [name, text] : x) entries.push_back(fmt::format("'{}': '{}'", name, text));
                          return fmt::format("{{{}}}", fmt::join(entries, ", "));
                        },
                        [](const auto& x) -> std::string { return fmt::format("[{}]", fmt::join(x, ", ")); },
                    },
                    value);
}

void assign(bool& field, const ArgValue& value) { field = number(value, "a bool") != 0; }
void assign(int32_t& field, const ArgValue& value) { field = ranged<int32_t>(value); }
void assign(int64_t& field, const ArgValue& value) { field = integer(value, "an integer"); }
void assign(float& field, const ArgValue& value) { field = static_cast<float>(number(value, "a number")); }
void assign(double& field, const ArgValue& value) { field = number(value, "a number"); }
void assign(DType& field, const ArgValue& value) { field = static_cast<DType>(ranged<int32_t>(value)); }
void assign(ImageType& field, const ArgValue& value) { field = static_cast<ImageType>(ranged<int32_t>(value)); }
void assign(InterpType& field, const ArgValue& value) { field = static_cast<InterpType>(ranged<int32_t>(value)); }

void assign(std::string& field, const ArgValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text) refuse("a string", value);
  field = *text;
}

void assign(std::vector<int64_t>& field, const ArgValue& value) {
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    field = *list;
  } else if (const auto* floats = std::get_if<std::vector<double>>(&value)) {
    field.clear();
    for (double x : *floats) field.push_back(integer(ArgValue{x}, "a list of integers"));
  } else {
    field.assign(1, integer(value, "a list of integers"));
  }
}

void assign(std::vector<float>& field, const ArgValue& value) {
  const auto copy = [&](const auto& list) {
    field.clear();
    for (auto x : list) field.push_back(static_cast<float>(x));
  };
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    copy(*list);
  } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
    copy(*integers);
  } else {
    field.assign(1, static_cast<float>(number(value, "a list of numbers")));
  }
}

void assign(std::vector<std::string>& field, const ArgValue& value) {
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    field = *list;
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    field.assign(1, *text);
  } else if (const auto* none = std::get_if<std::vector<int64_t>>(&value); none && none->empty()) {
    field.clear();  // an empty Python list has no element type
  } else {
    refuse("a list of strings", value);
  }
}

void assign(Dict& field, const ArgValue& value) {
  const auto* entries = std::get_if<Dict>(&value);
  if (!entries) refuse("a dict", value);
  field = *entries;
}

ArgValue value_of(float field) { return std::stod(fmt::format("{}", field)); }

ArgValue value_of(const std::vector<float>& field) {
  std::vector<double> list;
  for (float x : field) list.push_back(std::get<double>(value_of(x)));
  return list;
}

}  // namespace penstock

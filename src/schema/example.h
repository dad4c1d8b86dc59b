// What an operator is shown and tested with: the arguments of an example, which stands in its description.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/value.h"

namespace penstock {

/// A path to data of a kind that tests/python/cases.py can make: "pictures", ...
struct ExampleData {
  std::string_view kind;
};
/// What that operator gives when it is called without inputs.
struct ExampleNode {
  std::string_view op;
};

/// One argument of an example, {"size", {224, 224}}; enumerations and what Args can hold, too.
struct ExampleArg {
  enum class Kind { kValue, kData, kNode };
  using Text = std::string_view;

  template <class T>
  ExampleArg(Text arg, const T& given) : name(arg), value(value_of(given)) {}
  ExampleArg(Text arg, const char* text) : name(arg), value(std::string(text)) {}
  ExampleArg(Text arg, std::initializer_list<int> list)
      : name(arg), value(std::vector<int64_t>(list.begin(), list.end())) {}
  ExampleArg(Text arg, std::initializer_list<double> list) : name(arg), value(std::vector<double>(list)) {}
  ExampleArg(Text arg, std::initializer_list<const char*> list)
      : name(arg), value(std::vector<std::string>(list.begin(), list.end())) {}
  ExampleArg(Text arg, ExampleData data) : name(arg), value(std::string(data.kind)), kind(Kind::kData) {}
  ExampleArg(Text arg, ExampleNode node) : name(arg), value(std::string(node.op)), kind(Kind::kNode) {}

  std::string name;
  ArgValue value;
  Kind kind = Kind::kValue;
};
using Example = std::vector<ExampleArg>;

}  // namespace penstock

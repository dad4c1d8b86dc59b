#include "kernels/arithmetic/function.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/check.h"
#include "kernels/arithmetic/blocks.h"
#include "schema/registry.h"

namespace penstock::kernels {
namespace {

bool is_half(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

DType signed_of(size_t bytes) {
  return bytes <= 1 ? DType::kInt8 : bytes <= 2 ? DType::kInt16 : bytes <= 4 ? DType::kInt32 : DType::kInt64;
}

void check_types(const Function& f, DType common) {
  if (f.family == Family::kBitwise)
    PENSTOCK_CHECK(!is_floating(common), TypeError, "Inputs to bitwise operator `{}` must be of integral type",
                   f.symbol);
  if (common != DType::kBool || (f.family != Family::kArithmetic && f.family != Family::kFloat)) return;
  if (f.arity == 1)
    fail<TypeError>(
        "Input to arithmetic operator `{}` cannot be a boolean. Consider using bitwise operator `~` or a numeric type",
        f.symbol);
  fail<TypeError>(
      "Inputs to arithmetic operator `{}` cannot be booleans. Consider using bitwise operators `|`, `&`, `^` "
      "or a numeric type as one of the inputs",
      f.symbol);
}

}  // namespace

std::span<const Function> all_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list;
    for (const auto part : {integer_functions(), float_functions(), comparisons()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

const Function& function_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Function& f : all_functions()) {
    if (f.name == name) return f;
    names.emplace_back(f.name);
  }
  const std::string near = nearest(std::string(name), names);
  fail<KeyError>("there is no function `{}`{}", name, near.empty() ? "" : "; did you mean `" + near + "`?");
}

DType common_type(DType a, DType b) {
  if (a == b || b == DType::kBool) return a;
  if (a == DType::kBool) return b;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  const size_t bytes = std::max(size_of(a), size_of(b));
  if (is_floating(a)) return bytes == 8 ? DType::kFloat64 : DType::kFloat;  // the two halves differ: float holds both
  if (is_signed(a) == is_signed(b)) return size_of(a) > size_of(b) ? a : b;
  const DType plus = is_signed(a) ? b : a, minus = is_signed(a) ? a : b;
  return size_of(minus) > size_of(plus) ? minus : signed_of(2 * size_of(plus));
}

Computation computation(const Function& function, std::span<const DType> operands) {
  DType common = operands[0];
  for (DType dtype : operands.subspan(1)) common = common_type(common, dtype);
  check_types(function, common);
  if (function.family == Family::kFloat && !is_floating(common)) common = DType::kFloat;

  const DType inside = is_half(common) ? DType::kFloat : common;
  Computation c{.function = &function, .made = inside, .result = common};
  c.loaded.fill(inside);
  if (function.family == Family::kComparison) {
    c.made = c.result = DType::kBool;
    const bool mixed = inside == DType::kInt64 && (operands[0] == DType::kUInt64) != (operands[1] == DType::kUInt64);
    if (mixed) c.loaded[operands[0] == DType::kUInt64 ? 0 : 1] = DType::kUInt64;
  }
  c.code = function.block(c.loaded[0], c.loaded[1]);
  PENSTOCK_CHECK(c.code, TypeError, "`{}` does not take type {}", function.symbol, name_of(common));
  return c;
}

}  // namespace penstock::kernels

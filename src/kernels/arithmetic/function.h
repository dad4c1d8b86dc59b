// The element-wise functions of arithmetic expressions, and the types they work in.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <penstock/dtype.h>

#include "kernels/arithmetic/code.h"

namespace penstock::kernels {

inline constexpr int kMaxOperands = 3;

/// Computes `n` elements. Operands and result are dense blocks of the types that the function was chosen for.
using BlockFunction = void (*)(const std::array<const std::byte*, kMaxOperands>& operands, std::byte* out, int64_t n);

/// What types a function takes and gives.
enum class Family {
  kArithmetic,  ///< any numbers but not bools alone; the operands' common type
  kProduct,     ///< the same, bools too
  kFloat,       ///< any numbers; the common type if that is floating, else float
  kComparison,  ///< anything; gives bool
  kBitwise,     ///< integers and bools; the common type
};

struct Function {
  Code code = Code::kPlus;
  std::string_view name;    ///< as in a graph: "add"
  std::string_view symbol;  ///< as in Python: "+"
  int arity = 1;
  Family family = Family::kArithmetic;
  /// The code for operands of these types, null where there is none.
  BlockFunction (*block)(DType first, DType second) = nullptr;
};

inline constexpr char kDivisionByZero[] = "integer division by zero; use `/`, or cast to a floating type first";

/// @throws KeyError that offers the nearest name.
const Function& function_named(std::string_view name);
std::span<const Function> all_functions();

/// The type in which operands of both types are computed: floats win over integers, wider over narrower; unsigned with
/// signed gives a signed type that holds both, int64 at most; bool counts as the narrowest unsigned type.
DType common_type(DType a, DType b);

/// How one call of a function is computed.
struct Computation {
  const Function* function = nullptr;
  std::array<DType, kMaxOperands> loaded{};  ///< what each operand is converted to
  DType made = DType::kNone;                 ///< what the code writes
  DType result = DType::kNone;               ///< what the caller gets: `made`, or half precision
  BlockFunction code = nullptr;
};

/// @throws TypeError when the function does not take these types.
Computation computation(const Function& function, std::span<const DType> operands);

}  // namespace penstock::kernels

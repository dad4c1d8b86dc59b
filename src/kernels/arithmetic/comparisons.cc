// Comparisons. Integers of different signedness compare by value: uint64 with a signed type has no common type that
// holds both, so those pairs have code of their own.
#include "kernels/arithmetic/blocks.h"
#include "kernels/arithmetic/functors.h"

namespace penstock::kernels {
namespace {

using namespace functors;

template <class F>
BlockFunction compare(DType first, DType second) {
  if (first == DType::kInt64 && second == DType::kUInt64) return binary_block<F, int64_t, uint64_t>;
  if (first == DType::kUInt64 && second == DType::kInt64) return binary_block<F, uint64_t, int64_t>;
  return pick<F>(first, All{});
}

constexpr Function kFunctions[] = {
    {Code::kEqual, "eq", "==", 2, Family::kComparison, compare<Equal>},
    {Code::kNotEqual, "neq", "!=", 2, Family::kComparison, compare<NotEqual>},
    {Code::kLess, "lt", "<", 2, Family::kComparison, compare<Less>},
    {Code::kLessOrEqual, "leq", "<=", 2, Family::kComparison, compare<LessOrEqual>},
    {Code::kGreater, "gt", ">", 2, Family::kComparison, compare<Greater>},
    {Code::kGreaterOrEqual, "geq", ">=", 2, Family::kComparison, compare<GreaterOrEqual>},
};

}  // namespace

std::span<const Function> comparisons() { return kFunctions; }

}  // namespace penstock::kernels

// Comparisons. Integers of different signedness compare by value: uint64 with a signed type has no common type that
// holds both, so those pairs have code of their own.
#include <concepts>
#include <utility>

#include "kernels/arithmetic/blocks.h"

namespace penstock::kernels {
namespace {

template <class A, class B>
inline constexpr bool kMixedSigns = std::integral<A>&& std::integral<B>&& std::is_signed_v<A> != std::is_signed_v<B>;

struct Equal {
  template <class A, class B>
  bool operator()(A a, B b) const {
    if constexpr (kMixedSigns<A, B>)
      return std::cmp_equal(a, b);
    else
      return a == b;
  }
};

struct Less {
  template <class A, class B>
  bool operator()(A a, B b) const {
    if constexpr (kMixedSigns<A, B>)
      return std::cmp_less(a, b);
    else
      return a < b;
  }
};

// "not less" would be wrong for NaN, so the four orders come from `less` and `equal`.
struct NotEqual {
  template <class A, class B>
  bool operator()(A a, B b) const {
    return !Equal{}(a, b);
  }
};
struct LessOrEqual {
  template <class A, class B>
  bool operator()(A a, B b) const {
    return Less{}(a, b) || Equal{}(a, b);
  }
};
struct Greater {
  template <class A, class B>
  bool operator()(A a, B b) const {
    return Less{}(b, a);
  }
};
struct GreaterOrEqual {
  template <class A, class B>
  bool operator()(A a, B b) const {
    return Less{}(b, a) || Equal{}(a, b);
  }
};

template <class F>
BlockFunction compare(DType first, DType second) {
  if (first == DType::kInt64 && second == DType::kUInt64) return binary_block<F, int64_t, uint64_t>;
  if (first == DType::kUInt64 && second == DType::kInt64) return binary_block<F, uint64_t, int64_t>;
  return pick<F>(first, All{});
}

constexpr Function kFunctions[] = {
    {"eq", "==", 2, Family::kComparison, compare<Equal>},
    {"neq", "!=", 2, Family::kComparison, compare<NotEqual>},
    {"lt", "<", 2, Family::kComparison, compare<Less>},
    {"leq", "<=", 2, Family::kComparison, compare<LessOrEqual>},
    {"gt", ">", 2, Family::kComparison, compare<Greater>},
    {"geq", ">=", 2, Family::kComparison, compare<GreaterOrEqual>},
};

}  // namespace

std::span<const Function> comparisons() { return kFunctions; }

}  // namespace penstock::kernels

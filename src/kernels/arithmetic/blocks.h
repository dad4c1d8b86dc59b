// Turns a functor over single elements into code for blocks of them, for each type it is wanted for.
#pragma once

#include <type_traits>

#include "kernels/arithmetic/function.h"

namespace penstock::kernels {

template <class T>
const T* operand(const std::array<const std::byte*, kMaxOperands>& operands, size_t i) {
  return reinterpret_cast<const T*>(operands[i]);
}

template <class F, class T>
void unary_block(const std::array<const std::byte*, kMaxOperands>& operands, std::byte* out, int64_t n) {
  using R = std::invoke_result_t<F, T>;
  const T* __restrict a = operand<T>(operands, 0);
  R* __restrict r = reinterpret_cast<R*>(out);
  for (int64_t i = 0; i < n; ++i) r[i] = F{}(a[i]);
}

template <class F, class A, class B = A>
void binary_block(const std::array<const std::byte*, kMaxOperands>& operands, std::byte* out, int64_t n) {
  using R = std::invoke_result_t<F, A, B>;
  const A* __restrict a = operand<A>(operands, 0);
  const B* __restrict b = operand<B>(operands, 1);
  R* __restrict r = reinterpret_cast<R*>(out);
  for (int64_t i = 0; i < n; ++i) r[i] = F{}(a[i], b[i]);
}

template <class F, class T>
void ternary_block(const std::array<const std::byte*, kMaxOperands>& operands, std::byte* out, int64_t n) {
  const T* __restrict a = operand<T>(operands, 0);
  const T* __restrict b = operand<T>(operands, 1);
  const T* __restrict c = operand<T>(operands, 2);
  T* __restrict r = reinterpret_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) r[i] = F{}(a[i], b[i], c[i]);
}

template <class... Ts>
struct Types {};
using Floats = Types<float, double>;
using Integers = Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>;
using Bits = Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, bool>;
using Numbers = Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, float, double>;
using All = Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, float, double, bool>;

template <class F, class... Ts>
BlockFunction pick(DType dtype, Types<Ts...>) {
  BlockFunction code = nullptr;
  const auto offer = [&]<class T>(std::type_identity<T>) {
    if (dtype != dtype_of<T>) return;
    if constexpr (std::is_invocable_v<F, T, T, T>)
      code = ternary_block<F, T>;
    else if constexpr (std::is_invocable_v<F, T, T>)
      code = binary_block<F, T>;
    else
      code = unary_block<F, T>;
  };
  (offer(std::type_identity<Ts>{}), ...);
  return code;
}

/// The code of F where all operands have one type out of `Ts`.
template <class F, class Ts>
BlockFunction code_of(DType first, DType) {
  return pick<F>(first, Ts{});
}

// The functions of each file, for the table in function.cc.
std::span<const Function> integer_functions();
std::span<const Function> float_functions();
std::span<const Function> comparisons();

}  // namespace penstock::kernels

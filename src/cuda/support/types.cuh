// Elements in kernels: types and the saturating conversion, with the rules of core/convert.h.
#pragma once

#include <cuda_fp16.h>

#include <cuda/std/limits>

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include <penstock/dtype.h>

#include "core/convert.h"

namespace penstock::cuda {

template <class T>
__device__ inline float to_float(T x) {
  if constexpr (std::is_same_v<T, __half>)
    return __half2float(x);
  else
    return static_cast<float>(x);
}

/// Rounds half away from zero and clamps; NaN becomes 0.
template <class To>
__device__ inline To convert(float x) {
  if constexpr (std::is_same_v<To, float> || std::is_same_v<To, double>) {
    return x;
  } else if constexpr (std::is_same_v<To, __half>) {
    return __float2half_rn(in_half(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (sizeof(To) <= 2) {
    using Limits = ::cuda::std::numeric_limits<To>;
    x = x == x ? roundf(x) : 0.f;
    return static_cast<To>(static_cast<int>(fminf(fmaxf(x, Limits::lowest()), Limits::max())));
  } else {
    // What lies outside of the range saturates: so does the processor's own conversion from float.
    if constexpr (std::is_same_v<To, int32_t>)
      return __float2int_rz(roundf(x));
    else if constexpr (std::is_same_v<To, uint32_t>)
      return __float2uint_rz(roundf(x));
    else if constexpr (std::is_same_v<To, int64_t>)
      return __float2ll_rz(roundf(x));
    else
      return __float2ull_rz(roundf(x));
  }
}

template <class T>
struct Type {
  using type = T;
};

/// Calls fn(Type<Index>()) with the type that kernels are to count a sample's elements in, strides of a grid included:
/// divisions of 64 bits took most of their time.
template <class Fn>
void with_index(int64_t most_elements, Fn&& fn) {
  if (most_elements < int64_t{1} << 30)
    fn(Type<int32_t>());
  else
    fn(Type<int64_t>());
}

/// Calls fn(Type<T>()) for the C++ type of `dtype`, which must be among Ts.
template <class... Ts, class Fn>
void among(DType dtype, Fn&& fn) {
  const auto one = [&]<class T>(Type<T> type) {
    constexpr DType own = dtype_of<std::conditional_t<std::is_same_v<T, __half>, float16, T>>;
    if (dtype != own) return false;
    fn(type);
    return true;
  };
  if (!(one(Type<Ts>()) || ...)) throw std::runtime_error("no GPU kernel for this element type");
}

}  // namespace penstock::cuda

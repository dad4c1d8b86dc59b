// Turns a run-time DType into a compile-time type, in one place.
#pragma once

#include <penstock/dtype.h>

#include "core/check.h"

namespace penstock {

template <class T>
struct Tag {
  using type = T;
};

/// Calls fn(Tag<T>{}) for the first T of Ts whose DType is `dtype`.
/// @throws TypeError that lists the types when there is none.
template <class... Ts, class Fn>
decltype(auto) dispatch_among(DType dtype, Fn&& fn) {
  using Result = std::common_type_t<decltype(fn(Tag<Ts>{}))...>;
  const auto refuse = [&]() -> Result {
    std::string known;
    ((known += std::string(known.empty() ? "" : ", ") + std::string(name_of(dtype_of<Ts>))), ...);
    fail<TypeError>("type {} is not supported here; use one of {}", name_of(dtype), known);
  };
  if constexpr (std::is_void_v<Result>) {
    if (!((dtype == dtype_of<Ts> ? (fn(Tag<Ts>{}), true) : false) || ...)) refuse();
  } else {
    Result result{};
    if (!((dtype == dtype_of<Ts> ? (result = fn(Tag<Ts>{}), true) : false) || ...)) return refuse();
    return result;
  }
}

template <class Fn>
decltype(auto) dispatch_all(DType dtype, Fn&& fn) {
  return dispatch_among<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, float16, bfloat16,
                        float, double, bool>(dtype, std::forward<Fn>(fn));
}

template <class Fn>
decltype(auto) dispatch_numeric(DType dtype, Fn&& fn) {
  return dispatch_among<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, float16, float,
                        double>(dtype, std::forward<Fn>(fn));
}

}  // namespace penstock

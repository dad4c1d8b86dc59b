// What CPU and GPU do alike in a reduction: what an element adds, how two partial results join, and what comes of all.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/convert.h"
#include "kernels/reduction/job.h"

namespace penstock::kernels {

/// Integers are summed as integers, all else in double precision.
template <class In>
using ReductionSum = std::conditional_t<!std::is_integral_v<In>, double,
                                        std::conditional_t<std::is_signed_v<In>, int64_t, uint64_t>>;

/// How elements are put together. `start()` joined with anything is that.
template <class In>
struct SumOf {
  using Partial = ReductionSum<In>;
  constexpr explicit SumOf(const ReductionJob&, int64_t) {}
  static constexpr Partial start() { return 0; }
  constexpr Partial of(In x) const { return static_cast<Partial>(x); }
  // Sums of 64 bits wrap; signed ones must not overflow in C++.
  static constexpr Partial join(Partial a, Partial b) {
    if constexpr (std::is_integral_v<Partial>)
      return static_cast<Partial>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  }
};

template <class In>
struct MinOf {
  using Partial = ReductionSum<In>;
  constexpr explicit MinOf(const ReductionJob&, int64_t) {}
  static constexpr Partial start() {
    using Limits = std::numeric_limits<Partial>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  constexpr Partial of(In x) const { return static_cast<Partial>(x); }
  static constexpr Partial join(Partial a, Partial b) { return b < a ? b : a; }
};

template <class In>
struct MaxOf {
  using Partial = ReductionSum<In>;
  constexpr explicit MaxOf(const ReductionJob&, int64_t) {}
  static constexpr Partial start() {
    using Limits = std::numeric_limits<Partial>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  constexpr Partial of(In x) const { return static_cast<Partial>(x); }
  static constexpr Partial join(Partial a, Partial b) { return a < b ? b : a; }
};

/// Squares of distances from a mean, or from 0.
template <class In>
struct SquaresOf {
  using Partial = double;
  constexpr SquaresOf(const ReductionJob& job, int64_t result)
      : mean(job.mean ? static_cast<double>(job.mean[job.one_mean ? 0 : result]) : 0) {}
  static constexpr Partial start() { return 0; }
  constexpr Partial of(In x) const {
    const double distance = static_cast<double>(x) - mean;
    return distance * distance;
  }
  static constexpr Partial join(Partial a, Partial b) { return a + b; }
  double mean;
};

/// Calls fn(Kind<...>) for what a reduction needs: fn.template operator()<SumOf<In>>().
template <class In, class Fn>
constexpr void with_reducer(Reduction reduction, Fn&& fn) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kMean:
      return fn.template operator()<SumOf<In>>();
    case Reduction::kMin:
      return fn.template operator()<MinOf<In>>();
    case Reduction::kMax:
      return fn.template operator()<MaxOf<In>>();
    default:
      return fn.template operator()<SquaresOf<In>>();
  }
}

/// Where the element of that number lies, the axes walked in order.
template <class Number>
constexpr int64_t place_of(const ReductionAxes& axes, Number number) {
  int64_t at = 0;
  for (int axis = axes.ndim - 1; axis > 0; --axis) {
    const auto extent = static_cast<Number>(axes.extents[axis]);
    const Number outer = number / extent;
    at += static_cast<int64_t>(number - outer * extent) * axes.strides[axis];
    number = outer;
  }
  return axes.ndim > 0 ? at + static_cast<int64_t>(number) * axes.strides[0] : at;
}

template <class T>
constexpr void store_number(DType out, void* to, int64_t i, T value) {
  const auto store = [&]<class Out>(Out) { static_cast<Out*>(to)[i] = convert_sat<Out>(value); };
  switch (out) {
    case DType::kUInt8:
      return store(uint8_t{});
    case DType::kInt8:
      return store(int8_t{});
    case DType::kUInt16:
      return store(uint16_t{});
    case DType::kInt16:
      return store(int16_t{});
    case DType::kUInt32:
      return store(uint32_t{});
    case DType::kInt32:
      return store(int32_t{});
    case DType::kUInt64:
      return store(uint64_t{});
    case DType::kInt64:
      return store(int64_t{});
    case DType::kFloat64:
      return store(double{});
    case DType::kBool:
      return store(bool{});
    default:
      return store(float{});
  }
}

/// What all elements of a result came to, as a number of the output's type.
template <class Partial>
constexpr void store_result(const ReductionJob& job, DType out, int64_t result, Partial all) {
  const auto divided = [&](int64_t by) {
    return by > 0 ? static_cast<double>(all) / static_cast<double>(by) : std::numeric_limits<double>::quiet_NaN();
  };
  // Few stores: a compiler writes each of them out for all types.
  if (job.reduction == Reduction::kSum || job.reduction == Reduction::kMin || job.reduction == Reduction::kMax)
    return store_number(out, job.out, result, job.size > 0 ? all : Partial{});
  const bool spread = job.reduction == Reduction::kVariance || job.reduction == Reduction::kDeviation;
  const bool rooted = job.reduction == Reduction::kRootMeanSquare || job.reduction == Reduction::kDeviation;
  const double mean = spread && job.size <= job.ddof ? 0.0 : divided(job.size - (spread ? job.ddof : 0));
  store_number(out, job.out, result, rooted ? sqrt(mean) : mean);
}

}  // namespace penstock::kernels

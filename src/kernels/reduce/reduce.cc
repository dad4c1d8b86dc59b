#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/reduce/fold.h"

namespace penstock::kernels {
namespace {

/// So many elements of 16 bits have a sum of 32.
constexpr int64_t kNarrowRows = 1 << 15;

template <class T>
void sum_block(const T* data, int64_t rows, int64_t columns, int64_t* sums) {
  const auto add = [](auto sum, auto x, int64_t) {
    return static_cast<decltype(sum)>(sum + static_cast<decltype(sum)>(x));
  };
  const auto merge = [](auto a, auto b) { return a + static_cast<decltype(a)>(b); };
  if constexpr (sizeof(T) <= 2) {  // sums of 32 bits in vectors of twice as many lanes
    if (columns < kFoldLanes / 2) {
      for (int64_t row = 0; row < rows; row += kNarrowRows) {
        std::array<int32_t, kFoldLanes> narrow{};
        fold_rows(data + row * columns, std::min(rows - row, kNarrowRows), columns, narrow.data(), int32_t{0}, add,
                  merge);
        for (int64_t j = 0; j < columns; ++j) sums[j] += narrow[static_cast<size_t>(j)];
      }
      return;
    }
  }
  fold_rows(data, rows, columns, sums, int64_t{0}, add, merge);
}

template <class T>
double as_double(T x) {
  return convert_sat<double>(x);
}

/// What comparison works on.
template <class T>
auto ordered(T x) {
  if constexpr (is_small_float<T>)
    return static_cast<float>(x);
  else
    return x;
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return ordered(x) != ordered(x);
}

template <class T>
T highest() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::max();
  else
    return T(std::numeric_limits<float>::infinity());
}
template <class T>
T lowest() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::min();
  else
    return T(-std::numeric_limits<float>::infinity());
}

}  // namespace

ReducedAxes::ReducedAxes(const Shape& shape, std::span<const bool> reduced) {
  bool kept_before = false;
  for (int i = 0; i < shape.ndim(); ++i) {
    const bool kept = !reduced[static_cast<size_t>(i)];
    (kept ? groups : size) *= shape[i];
    if (count > 0 && kept == kept_before)
      axes[count - 1].extent *= shape[i];
    else
      axes[count++] = {shape[i], kept ? 1 : 0};
    kept_before = kept;
  }
  if (count == 0) axes[count++] = {1, 0};
  int64_t stride = 1;
  for (int i = count - 1; i >= 0; --i)
    if (axes[i].groups > 0) {
      axes[i].groups = stride;
      stride *= axes[i].extent;
    }
}

void reduce_sum(const TensorView& in, const ReducedAxes& axes, int64_t* sums) {
  std::fill_n(sums, axes.groups, int64_t{0});
  dispatch_all(in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      for_each_block(axes, [&](int64_t first, int64_t group, int64_t rows, int64_t columns) {
        sum_block(in.as<T>() + first, rows, columns, sums + group);
      });
  });
}

void reduce_sum(const TensorView& in, const ReducedAxes& axes, double* sums) {
  std::fill_n(sums, axes.groups, 0.);
  dispatch_all(in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_block(axes, [&](int64_t first, int64_t group, int64_t rows, int64_t columns) {
      fold_rows(
          in.as<T>() + first, rows, columns, sums + group, 0.,
          [](double sum, T x, int64_t) { return sum + as_double(x); }, [](double a, double b) { return a + b; });
    });
  });
}

void reduce_squares(const TensorView& in, const ReducedAxes& axes, const double* centres, double* sums) {
  std::fill_n(sums, axes.groups, 0.);
  dispatch_all(in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_block(axes, [&](int64_t first, int64_t group, int64_t rows, int64_t columns) {
      std::array<double, kFoldLanes> few{};  // the centre of each lane
      if (centres && columns < kFoldLanes / 2)
        for (int64_t j = 0; j < kFoldLanes; ++j) few[static_cast<size_t>(j)] = centres[group + j % columns];
      const double* of_lane = !centres || columns < kFoldLanes / 2 ? few.data() : centres + group;
      const int64_t mask = !centres && columns >= kFoldLanes / 2 ? 0 : 1;  // no centres: always the first zero
      fold_rows(
          in.as<T>() + first, rows, columns, sums + group, 0.,
          [&](double sum, T x, int64_t lane) {
            const double distance = as_double(x) - of_lane[lane * mask];
            return sum + distance * distance;
          },
          [](double a, double b) { return a + b; });
    });
  });
}

void reduce_extreme(const TensorView& in, const ReducedAxes& axes, bool largest, std::byte* extremes) {
  dispatch_all(in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = reinterpret_cast<T*>(extremes);
    const T zero = largest ? lowest<T>() : highest<T>();
    std::fill_n(to, axes.groups, zero);
    const auto run = [&](auto before) {
      const auto pick = [&](T a, T b) { return before(ordered(b), ordered(a)) || is_nan(b) ? b : a; };
      for_each_block(axes, [&](int64_t first, int64_t group, int64_t rows, int64_t columns) {
        fold_rows(
            in.as<T>() + first, rows, columns, to + group, zero, [&](T a, T b, int64_t) { return pick(a, b); }, pick);
      });
    };
    if (largest)
      run([](auto a, auto b) { return a > b; });
    else
      run([](auto a, auto b) { return a < b; });
  });
}

}  // namespace penstock::kernels

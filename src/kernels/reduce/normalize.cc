#include "kernels/reduce/normalize.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/reduce/fold.h"

namespace penstock::kernels {
namespace {

template <class Fn>
void dispatch_narrow(DType dtype, Fn&& fn) {
  dispatch_among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float>(dtype, std::forward<Fn>(fn));
}

/// Elements with a mean and a factor each.
template <class In, class Out>
void normalize_each(const In* in, int64_t count, const float* means, const float* factors, float shift, Out* out) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = convert_sat<Out>((static_cast<float>(in[i]) - means[i]) * factors[i] + shift);
}

/// Rows of few columns: several of them share a run of means and factors, so that vectors are full.
template <class In, class Out>
void normalize_few(const In* in, int64_t rows, int64_t columns, const float* means, const float* factors, float shift,
                   Out* out) {
  std::array<float, kFoldLanes> mean_of, factor_of;
  const int64_t count = rows * columns, width = kFoldLanes / columns * columns;
  for (int64_t i = 0; i < width; ++i) {
    mean_of[static_cast<size_t>(i)] = means[i % columns];
    factor_of[static_cast<size_t>(i)] = factors[i % columns];
  }
  for (int64_t i = 0; i < count; i += width)
    normalize_each(in + i, std::min(width, count - i), mean_of.data(), factor_of.data(), shift, out + i);
}

}  // namespace

void normalize_groups(const TensorView& in, const ReducedAxes& axes, std::span<const float> means,
                      std::span<const float> factors, float shift, const TensorView& out) {
  dispatch_narrow(in.dtype, [&](auto in_tag) {
    dispatch_narrow(out.dtype, [&](auto out_tag) {
      const auto* from = in.as<typename decltype(in_tag)::type>();
      auto* to = out.as<typename decltype(out_tag)::type>();
      for_each_block(axes, [&](int64_t first, int64_t group, int64_t rows, int64_t columns) {
        const float *mean = means.data() + group, *factor = factors.data() + group;
        if (columns <= kFoldLanes / 2)
          return normalize_few(from + first, rows, columns, mean, factor, shift, to + first);
        for (int64_t i = first; i < first + rows * columns; i += columns)
          normalize_each(from + i, columns, mean, factor, shift, to + i);
      });
    });
  });
}

}  // namespace penstock::kernels

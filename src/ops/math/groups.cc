#include "ops/math/groups.h"

#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock {
namespace {

template <class Fn>
void dispatch_narrow(DType dtype, Fn&& fn) {
  dispatch_among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float>(dtype, std::forward<Fn>(fn));
}

}  // namespace

Groups::Groups(const Shape& shape, const AxisList& reduced) {
  int used = 0;
  bool previous_kept = false;
  for (int i = 0; i < shape.ndim(); ++i) {
    const bool kept = !reduced.has(i);
    (kept ? count_ : size_) *= shape[i];
    if (used > 0 && kept == previous_kept) {
      axes_[static_cast<size_t>(used - 1)].extent *= shape[i];
    } else {
      axes_[static_cast<size_t>(used++)] = {shape[i], kept ? int64_t{1} : int64_t{0}};
    }
    previous_kept = kept;
  }
  last_ = std::max(used - 1, 0);
  int64_t stride = 1;
  for (int i = last_; i >= 0; --i)
    if (Axis& axis = axes_[static_cast<size_t>(i)]; axis.stride > 0) {
      axis.stride = stride;
      stride *= axis.extent;
    }
}

void Groups::sum(const TensorView& input, std::span<double> sums) const {
  dispatch_narrow(input.dtype, [&](auto tag) {
    const auto* data = input.as<typename decltype(tag)::type>();
    for_each_row([&](int64_t offset, int64_t group, int64_t n, int64_t stride) {
      if (stride == 0) {
        double total = 0;
        for (int64_t i = 0; i < n; ++i) total += static_cast<double>(data[offset + i]);
        sums[static_cast<size_t>(group)] += total;
      } else {
        for (int64_t i = 0; i < n; ++i) sums[static_cast<size_t>(group + i)] += static_cast<double>(data[offset + i]);
      }
    });
  });
}

void Groups::sum_squares(const TensorView& input, std::span<const float> centres, std::span<double> sums) const {
  const auto square = [](auto value, float centre) {
    const double distance = static_cast<double>(value) - static_cast<double>(centre);
    return distance * distance;
  };
  dispatch_narrow(input.dtype, [&](auto tag) {
    const auto* data = input.as<typename decltype(tag)::type>();
    for_each_row([&](int64_t offset, int64_t group, int64_t n, int64_t stride) {
      if (stride == 0) {
        const float centre = centres[static_cast<size_t>(group)];
        double total = 0;
        for (int64_t i = 0; i < n; ++i) total += square(data[offset + i], centre);
        sums[static_cast<size_t>(group)] += total;
      } else {
        for (int64_t i = 0; i < n; ++i) {
          const auto g = static_cast<size_t>(group + i);
          sums[g] += square(data[offset + i], centres[g]);
        }
      }
    });
  });
}

void Groups::normalize(const TensorView& input, std::span<const float> means, std::span<const float> factors,
                       float shift, const TensorView& out) const {
  dispatch_narrow(input.dtype, [&](auto in_tag) {
    dispatch_narrow(out.dtype, [&](auto out_tag) {
      using Out = typename decltype(out_tag)::type;
      const auto* from = input.as<typename decltype(in_tag)::type>();
      Out* to = out.as<Out>();
      for_each_row([&](int64_t offset, int64_t group, int64_t n, int64_t stride) {
        for (int64_t i = 0; i < n; ++i) {
          const auto g = static_cast<size_t>(group + i * stride);
          to[offset + i] = convert_sat<Out>((static_cast<float>(from[offset + i]) - means[g]) * factors[g] + shift);
        }
      });
    });
  });
}

}  // namespace penstock

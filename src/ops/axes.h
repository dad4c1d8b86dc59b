// Names and numbers of axes, as many operators take them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <penstock/tensor.h>

namespace penstock {

/// `axis` counted from the front; negative ones count from the back.
/// @throws ArgumentError outside [-ndim, ndim - 1].
int axis_in(int64_t axis, int ndim);

/// The axis of that letter. @throws ArgumentError when the layout has none.
int axis_named(char letter, const Layout& layout);

/// Some axes of a tensor, each at most once, in the order in which they were named.
struct AxisList {
  int count = 0;
  std::array<int, kMaxDims> axes{};
  const int* begin() const { return axes.data(); }
  const int* end() const { return axes.data() + count; }
  bool has(int axis) const { return std::find(begin(), end(), axis) != end(); }
};

/// @throws ArgumentError for axes that do not exist or occur twice.
AxisList axes_in(std::span<const int64_t> axes, const TensorDesc& desc);
/// @throws ArgumentError for letters that the layout lacks or that occur twice.
AxisList axes_named(std::string_view letters, const TensorDesc& desc);
AxisList all_axes(const TensorDesc& desc);

/// The layout that the user asked for. @throws ArgumentError when its letters are not as many as `ndim`.
Layout layout_for(std::string_view letters, int ndim);

}  // namespace penstock

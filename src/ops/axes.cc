#include "ops/axes.h"

#include "core/check.h"

namespace penstock {
namespace {

void add(AxisList& list, int axis) {
  PENSTOCK_CHECK(!list.has(axis), ArgumentError, "axis {} occurs more than once; name each axis once", axis);
  list.axes[static_cast<size_t>(list.count++)] = axis;
}

}  // namespace

int axis_in(int64_t axis, int ndim) {
  PENSTOCK_CHECK(axis >= -ndim && axis < ndim, ArgumentError,
                 "Axis {} out of range. Expected range is [{}, {}] for a {}D input", axis, -ndim, ndim - 1, ndim);
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

int axis_named(char letter, const Layout& layout) {
  const int axis = layout.find(letter);
  PENSTOCK_CHECK(axis >= 0, ArgumentError, "Axis '{}' is not present in the input layout \"{}\"", letter,
                 layout.view());
  return axis;
}

AxisList axes_in(std::span<const int64_t> axes, const TensorDesc& desc) {
  AxisList list;
  for (int64_t axis : axes) add(list, axis_in(axis, desc.shape.ndim()));
  return list;
}

AxisList axes_named(std::string_view letters, const TensorDesc& desc) {
  AxisList list;
  for (char letter : letters) add(list, axis_named(letter, desc.layout));
  return list;
}

AxisList all_axes(const TensorDesc& desc) {
  AxisList list;
  for (int i = 0; i < desc.shape.ndim(); ++i) add(list, i);
  return list;
}

Layout layout_for(std::string_view letters, int ndim) {
  if (letters.empty()) return {};
  PENSTOCK_CHECK(static_cast<int>(letters.size()) == ndim, ArgumentError,
                 "the layout '{}' has {} letters, but the output has {} dimensions", letters, letters.size(), ndim);
  return Layout(letters);
}

}  // namespace penstock

#include "ops/elements/element_view.h"

namespace penstock {

using kernels::Strides;

ElementView ElementView::broadcast(const Shape& tensor, const Shape& result) {
  ElementView view;
  const int missing = result.ndim() - tensor.ndim();
  for (int axis = 0; axis < result.ndim(); ++axis) {
    const auto k = static_cast<size_t>(axis);
    const bool walks = axis >= missing && (tensor[axis - missing] != 1 || result[axis] == 1);
    view.axis[k] = walks ? axis - missing : -1;
    view.step[k] = walks ? 1 : 0;
  }
  return view;
}

int64_t ElementView::offset(const Strides& tensor) const {
  int64_t offset = 0;
  for (size_t a = 0; a < start.size(); ++a) offset += start[a] * tensor[a];
  return offset;
}

Strides ElementView::strides(const Strides& tensor) const {
  Strides strides{};
  for (size_t j = 0; j < axis.size(); ++j)
    if (axis[j] >= 0) strides[j] = step[j] * tensor[static_cast<size_t>(axis[j])];
  return strides;
}

ElementView ElementView::of(const ElementView& inner, int inner_dims) const {
  ElementView joined;
  joined.start = inner.start;
  for (int a = 0; a < inner_dims; ++a) {
    const auto k = static_cast<size_t>(a);
    if (inner.axis[k] >= 0) joined.start[static_cast<size_t>(inner.axis[k])] += inner.step[k] * start[k];
  }
  for (size_t j = 0; j < joined.axis.size(); ++j) {
    const int a = axis[j];
    joined.axis[j] = a < 0 ? -1 : inner.axis[static_cast<size_t>(a)];
    joined.step[j] = a < 0 ? 0 : step[j] * inner.step[static_cast<size_t>(a)];
  }
  return joined;
}

TensorDesc held_part(const Value& value) { return cut(value.tensor, value.held); }

ElementView view_in_place(const Value& in, const Value& out) {
  ElementView view = ElementView::broadcast(held_part(in).shape, held_part(out).shape);
  const int ndim = in.tensor.shape.ndim();
  for (int axis = 0; axis < ndim; ++axis) {
    view.axis[static_cast<size_t>(axis)] = axis;
    view.step[static_cast<size_t>(axis)] = 1;
    view.start[static_cast<size_t>(axis)] = out.held.begin(axis) - in.held.begin(axis);
  }
  return view;
}

}  // namespace penstock

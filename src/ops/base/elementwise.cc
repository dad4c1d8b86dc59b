#include "ops/base/elementwise.h"

namespace penstock {

uint8_t numbers_of(const Value& out, int repeated, ElementWork& work) {
  Shape whole = out.tensor.shape;
  ElementView view;
  for (int axis = 0; axis < whole.ndim(); ++axis) {
    const auto k = static_cast<size_t>(axis);
    view.axis[k] = axis == repeated ? -1 : axis;
    view.step[k] = axis == repeated ? 0 : 1;
    view.start[k] = axis == repeated ? 0 : out.held.begin(axis);
  }
  if (repeated >= 0) whole[repeated] = 1;
  return work.number(whole, view);
}

}  // namespace penstock

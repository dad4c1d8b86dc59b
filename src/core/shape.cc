#include <penstock/shape.h>

#include "core/check.h"

namespace penstock {

void Shape::refuse_rank() { fail<ArgumentError>("tensors have at most {} dimensions", kMaxDims); }

void Shape::refuse_volume() const {
  fail<ArgumentError>("a tensor of shape {} has more elements than memory can", to_string(*this));
}

void Shape::push_back(int64_t extent) { insert(ndim_, extent); }

void Shape::insert(int axis, int64_t extent) {
  if (ndim_ == kMaxDims) refuse_rank();
  std::copy_backward(extents_.begin() + axis, extents_.begin() + ndim_, extents_.begin() + ndim_ + 1);
  extents_[axis] = extent;
  ++ndim_;
}

void Shape::erase(int axis) {
  std::copy(extents_.begin() + axis + 1, extents_.begin() + ndim_, extents_.begin() + axis);
  --ndim_;
}

std::string to_string(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape.begin(), shape.end(), ", "), shape.ndim() == 1 ? "," : "");
}

}  // namespace penstock

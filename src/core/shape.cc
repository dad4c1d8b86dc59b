#include <penstock/shape.h>

#include "core/check.h"

namespace penstock {
namespace {

// With elements of up to eight bytes, the size in bytes still fits.
constexpr int64_t kMaxVolume = int64_t{1} << 59;

void check_room(size_t ndim) {
  PENSTOCK_CHECK(ndim <= kMaxDims, ArgumentError, "tensors have at most {} dimensions", kMaxDims);
}

}  // namespace

Shape::Shape(std::span<const int64_t> extents) {
  check_room(extents.size());
  std::ranges::copy(extents, extents_.begin());
  ndim_ = static_cast<int>(extents.size());
}

int64_t Shape::volume() const {
  int64_t product = 1;
  bool fits = true;
  for (int64_t extent : *this) fits = fits && !__builtin_mul_overflow(product, extent, &product);
  PENSTOCK_CHECK(fits && product <= kMaxVolume, ArgumentError, "a tensor of shape {} has more elements than memory can",
                 to_string(*this));
  return product;
}

void Shape::push_back(int64_t extent) { insert(ndim_, extent); }

void Shape::insert(int axis, int64_t extent) {
  check_room(static_cast<size_t>(ndim_) + 1);
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

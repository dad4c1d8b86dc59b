#include "ops/region.h"

#include "kernels/strided/strided.h"

namespace penstock {

void copy_part(const Value& in, const Region& region, std::byte* to) {
  const TensorDesc part = cut(in.tensor, region);
  const kernels::Strides strides = kernels::dense_strides(cut(in.tensor, in.held).shape);
  int64_t offset = 0;
  for (int axis = 0; axis < part.shape.ndim(); ++axis)
    offset += (region.begin(axis) - in.held.begin(axis)) * strides[static_cast<size_t>(axis)];
  const size_t element = size_of(in.tensor.dtype);
  kernels::strided_copy(part.shape, element, in.tensor.data + offset * static_cast<int64_t>(element), strides, to,
                        kernels::dense_strides(part.shape));
}

const std::byte* dense_part(Sample& s, int i, const Region& region) {
  const Value& in = s.in(i);
  if (in.held == region) return in.tensor.data;
  std::byte* copy = s.scratch(bytes_of(in.tensor, region));
  copy_part(in, region, copy);
  return copy;
}

}  // namespace penstock

#include "ops/region.h"

#include "kernels/strided/strided.h"

namespace penstock {

const std::byte* dense_part(Sample& s, int i, const Region& region) {
  const Value& in = s.in(i);
  if (in.held == region) return in.tensor.data;
  const TensorDesc part = cut(in.tensor, region);
  const kernels::Strides strides = kernels::dense_strides(cut(in.tensor, in.held).shape);
  const int h = in.tensor.layout.find('H'), w = in.tensor.layout.find('W');
  int64_t offset = 0;
  if (h >= 0) offset += (region.y0 - in.held.y0) * strides[static_cast<size_t>(h)];
  if (w >= 0) offset += (region.x0 - in.held.x0) * strides[static_cast<size_t>(w)];
  const size_t element = size_of(in.tensor.dtype);
  std::byte* copy = s.scratch(part.nbytes());
  kernels::strided_copy(part.shape, element, in.tensor.data + offset * static_cast<int64_t>(element), strides, copy,
                        kernels::dense_strides(part.shape));
  return copy;
}

}  // namespace penstock

#include "schema/sample.h"

#include <algorithm>

namespace penstock {

Region Region::united(const Region& other) const {
  if (empty()) return other;
  if (other.empty()) return *this;
  return {std::min(y0, other.y0), std::min(x0, other.x0), std::max(y1, other.y1), std::max(x1, other.x1)};
}

Region whole(const TensorDesc& desc) {
  const int h = desc.layout.find('H'), w = desc.layout.find('W');
  return {0, 0, h < 0 ? 1 : desc.shape[h], w < 0 ? 1 : desc.shape[w]};
}

TensorDesc cut(const TensorDesc& desc, const Region& region) {
  TensorDesc part = desc;
  const int h = desc.layout.find('H'), w = desc.layout.find('W');
  if (h >= 0) part.shape[h] = region.height();
  if (w >= 0) part.shape[w] = region.width();
  return part;
}

}  // namespace penstock

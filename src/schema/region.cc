#include "schema/region.h"

namespace penstock {

void Region::unite(const Region& other) {
  if (empty()) {
    *this = other;
  } else if (!other.empty()) {
    for (int axis = 0; axis < ndim_; ++axis)
      set(axis, std::min(begin(axis), other.begin(axis)), std::max(end(axis), other.end(axis)));
  }
}

Region Region::without_first() const {
  if (ndim_ < 1) return {};
  Region rest;
  rest.ndim_ = ndim_ - 1;
  for (int axis = 1; axis < ndim_; ++axis) rest.set(axis - 1, begin(axis), end(axis));
  return rest;
}

Region Region::with_first(int64_t begin, int64_t end) const {
  if (ndim_ < 0 || ndim_ == kMaxDims) return {};
  Region more;
  more.ndim_ = ndim_ + 1;
  more.set(0, begin, end);
  for (int axis = 0; axis < ndim_; ++axis) more.set(axis + 1, this->begin(axis), this->end(axis));
  return more;
}

int64_t Region::outer(int axis) const {
  int64_t count = 1;
  for (int i = 0; i < axis; ++i) count *= extent(i);
  return count;
}

TensorDesc cut(const TensorDesc& desc, const Region& region) {
  TensorDesc part = desc;
  for (int axis = 0; axis < part.shape.ndim(); ++axis) part.shape[axis] = region.extent(axis);
  return part;
}

size_t bytes_of(const TensorDesc& desc, const Region& region) {
  Shape part = desc.shape;
  for (int axis = 0; axis < part.ndim(); ++axis) part[axis] = region.extent(axis);
  return static_cast<size_t>(part.volume()) * size_of(desc.dtype);
}

PlaneRegion plane_of(const Region& region, const Layout& layout) {
  if (region == Region()) return {};
  const int h = layout.find('H'), w = layout.find('W');
  PlaneRegion plane{0, 0, 1, 1};
  if (h >= 0) plane.y0 = region.begin(h), plane.y1 = region.end(h);
  if (w >= 0) plane.x0 = region.begin(w), plane.x1 = region.end(w);
  return plane;
}

Region in_plane(const PlaneRegion& plane, const TensorDesc& desc) {
  if (plane.empty()) return {};
  const int h = desc.layout.find('H'), w = desc.layout.find('W');
  Region region = whole(desc);
  if (h >= 0) region.set(h, plane.y0, plane.y1);
  if (w >= 0) region.set(w, plane.x0, plane.x1);
  return region;
}

int64_t bytes_before(const TensorDesc& desc, const Region& held, const Region& wanted) {
  if (held.empty() || wanted.begin(0) < held.begin(0) || wanted.end(0) > held.end(0)) return 0;
  const int64_t one = static_cast<int64_t>(bytes_of(desc, held)) / held.extent(0);
  return (wanted.begin(0) - held.begin(0)) * one;
}

}  // namespace penstock

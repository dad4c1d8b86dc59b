// Parts of tensors: what is wanted of an output, needed of an input, held by a value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <penstock/tensor.h>

namespace penstock {

/// A box: the range [begin, end) of elements along each axis of a tensor. Its ranges lie in place: no sample allocates.
/// Only those of the tensor's axes are set and compared; copies take all, which needs no call and no loop: samples ask
/// for a dozen boxes at each operator.
class Region {
 public:
  /// Of nothing, whatever the tensor.
  Region() = default;
  /// Of all of a tensor.
  explicit Region(const Shape& shape) { set_whole(shape); }
  /// Becomes that of nothing, or of all of a tensor, in place.
  void clear() { ndim_ = -1; }
  void set_whole(const Shape& shape) {
    ndim_ = shape.ndim();
    for (int axis = 0; axis < ndim_; ++axis) set(axis, 0, shape[axis]);
  }
  /// Without a single element.
  bool empty() const {
    for (int axis = 0; axis < ndim_; ++axis)
      if (begin(axis) >= end(axis)) return true;
    return ndim_ < 0;
  }
  /// 0 where there is no such axis.
  int64_t begin(int axis) const { return axis < ndim_ ? ranges_[static_cast<size_t>(axis)].begin : 0; }
  int64_t end(int axis) const { return axis < ndim_ ? ranges_[static_cast<size_t>(axis)].end : 0; }
  int64_t extent(int axis) const { return std::max<int64_t>(end(axis) - begin(axis), 0); }
  /// Sets the range of one of the tensor's axes.
  void set(int axis, int64_t begin, int64_t end) { ranges_[static_cast<size_t>(axis)] = {begin, end}; }
  /// Becomes the smallest region that holds both; an empty one adds nothing.
  void unite(const Region& other);
  /// The region of a tensor without its first axis.
  Region without_first() const;
  /// The region of a tensor with one more axis, before the others.
  Region with_first(int64_t begin, int64_t end) const;
  /// Elements along all of the axes before `axis`.
  int64_t outer(int axis) const;
  friend bool operator==(const Region& a, const Region& b) {
    if (a.ndim_ != b.ndim_) return false;
    for (int axis = 0; axis < a.ndim_; ++axis)
      if (a.begin(axis) != b.begin(axis) || a.end(axis) != b.end(axis)) return false;
    return true;
  }

 private:
  struct Range {
    int64_t begin, end;
  };
  int ndim_ = -1;  // -1: nothing
  std::array<Range, kMaxDims> ranges_;
};

/// Rows [y0, y1) and columns [x0, x1) of pictures, for operators that know of no other axes.
struct PlaneRegion {
  int64_t y0 = 0, x0 = 0, y1 = 0, x1 = 0;
  int64_t height() const { return y1 - y0; }
  int64_t width() const { return x1 - x0; }
  bool empty() const { return y1 <= y0 || x1 <= x0; }
  friend bool operator==(const PlaneRegion&, const PlaneRegion&) = default;
};

inline Region whole(const TensorDesc& desc) { return Region(desc.shape); }
/// The descriptor of just that region: same type and layout.
TensorDesc cut(const TensorDesc& desc, const Region& region);
/// The bytes that it takes.
size_t bytes_of(const TensorDesc& desc, const Region& region);

/// The region's ranges along H and W; [0, 1) where the layout has none. Of nothing: an empty one.
PlaneRegion plane_of(const Region& region, const Layout& layout);
/// H and W extents of a tensor; 1 where the layout has none.
inline PlaneRegion whole_plane(const TensorDesc& desc) { return plane_of(whole(desc), desc.layout); }
/// Those rows and columns of a tensor, along all of its other axes; nothing, where they are empty.
Region in_plane(const PlaneRegion& plane, const TensorDesc& desc);

/// How many bytes lie, in memory that holds `held` of a tensor, before the part of it that is `wanted` along the first
/// axis. 0 where that part is not held.
int64_t bytes_before(const TensorDesc& desc, const Region& held, const Region& wanted);

}  // namespace penstock

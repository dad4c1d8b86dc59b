#include "ops/boxes/box.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/check.h"

namespace penstock {

float Box::volume(int ndim) const {
  float volume = 1;
  for (int axis = 0; axis < ndim; ++axis) volume *= extent(axis);
  return volume;
}

bool Box::holds_middle_of(const Box& other, int ndim) const {
  for (int axis = 0; axis < ndim; ++axis) {
    const float middle = other.middle(axis);
    if (!(middle >= low[static_cast<size_t>(axis)] && middle < high[static_cast<size_t>(axis)])) return false;
  }
  return true;
}

float common_volume(const Box& a, const Box& b, int ndim) {
  float volume = 1;
  for (size_t axis = 0; axis < static_cast<size_t>(ndim); ++axis) {
    const float extent = std::min(a.high[axis], b.high[axis]) - std::max(a.low[axis], b.low[axis]);
    if (!(extent > 0)) return 0;
    volume *= extent;
  }
  return volume;
}

float intersection_over_union(const Box& a, const Box& b, int ndim) {
  const float common = common_volume(a, b, ndim);
  return common == 0 ? 0 : common / (a.volume(ndim) + b.volume(ndim) - common);
}

BoxLayout::BoxLayout(std::string_view letters, int ndim) : ndim_(ndim) {
  constexpr std::string_view kLow = "xyz", kHigh = "XYZ", kExtent = "WHD";
  extents_ = letters.find_first_of(kExtent) != std::string_view::npos;
  const std::string_view high = extents_ ? kExtent : kHigh;
  bool whole = letters.size() == static_cast<size_t>(2 * ndim);
  for (size_t axis = 0; axis < static_cast<size_t>(ndim); ++axis) {
    const size_t from = letters.find(kLow[axis]), to = letters.find(high[axis]);
    whole = whole && from != std::string_view::npos && to != std::string_view::npos;
    low_[axis] = static_cast<int8_t>(from), high_[axis] = static_cast<int8_t>(to);
  }
  PENSTOCK_CHECK(whole, ArgumentError, "`bbox_layout` should be a permutation of `{}` or `{}`, got `{}`",
                 ndim == 3 ? "xyzXYZ" : "xyXY", ndim == 3 ? "xyzWHD" : "xyWH", letters);
}

Box BoxLayout::read(const float* row) const {
  Box box;
  for (size_t axis = 0; axis < static_cast<size_t>(ndim_); ++axis) {
    box.low[axis] = row[low_[axis]];
    box.high[axis] = extents_ ? box.low[axis] + row[high_[axis]] : row[high_[axis]];
  }
  return box;
}

void BoxLayout::write(const Box& box, float* row) const {
  for (size_t axis = 0; axis < static_cast<size_t>(ndim_); ++axis) {
    row[low_[axis]] = box.low[axis];
    row[high_[axis]] = extents_ ? box.high[axis] - box.low[axis] : box.high[axis];
  }
}

void read_boxes(const TensorView& tensor, const BoxLayout& layout, const BoxReadingArgs& rules,
                std::vector<Box>& boxes) {
  const int64_t count = tensor.shape[0];
  const int ndim = layout.ndim();
  boxes.resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const float* row = tensor.as<float>() + i * 2 * ndim;
    Box& box = boxes[static_cast<size_t>(i)] = layout.read(row);
    for (size_t axis = 0; axis < static_cast<size_t>(ndim); ++axis) {
      float &low = box.low[axis], &high = box.high[axis];
      PENSTOCK_CHECK(std::isfinite(low) && std::isfinite(high) && (low <= high || !rules.check_boxes), DataError,
                     "box {} goes from {} to {} along {}: that is no box", i, low, high, "xyz"[axis]);
      PENSTOCK_CHECK(rules.clamp_boxes || (low >= 0 && high <= 1), DataError,
                     "box {} goes from {} to {} along {}, out of [0, 1]: coordinates are parts of the picture's "
                     "extents; clamp_boxes=True cuts off what rounding put outside",
                     i, low, high, "xyz"[axis]);
      low = std::clamp(low, 0.0f, 1.0f), high = std::clamp(high, 0.0f, 1.0f);
    }
  }
}

int box_axes(const TensorDesc& tensor) {
  PENSTOCK_CHECK(tensor.dtype == DType::kFloat, TypeError, "boxes must be FLOAT, got {}", name_of(tensor.dtype));
  const Shape& shape = tensor.shape;
  PENSTOCK_CHECK(shape.ndim() == 2 && (shape[1] == 4 || shape[1] == 6), ArgumentError,
                 "boxes are rows of 4 numbers, or of 6 in volumes; got the shape {}", to_string(shape));
  return static_cast<int>(shape[1] / 2);
}

TensorDesc describe_labels(const TensorDesc& labels, int64_t boxes, int64_t kept) {
  const int ndim = labels.shape.ndim();
  const bool fits = (ndim == 1 || (ndim == 2 && labels.shape[1] == 1)) && labels.shape[0] == boxes;
  PENSTOCK_CHECK(fits, ArgumentError, "{} boxes need as many labels, got labels of the shape {}", boxes,
                 to_string(labels.shape));
  TensorDesc result = labels;
  result.shape[0] = kept;
  return result;
}

void copy_rows(const TensorView& from, std::span<const int32_t> kept, const TensorView& to) {
  if (kept.empty()) return;
  const size_t bytes = to.nbytes() / kept.size();
  for (size_t i = 0; i < kept.size(); ++i)
    std::memcpy(to.data + i * bytes, from.data + static_cast<size_t>(kept[i]) * bytes, bytes);
}

}  // namespace penstock

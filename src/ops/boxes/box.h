// Boxes of two or three axes, how rows of numbers tell them, and how much of one lies in another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/tensor.h>

#include "schema/sample.h"

namespace penstock {

constexpr int kMostBoxAxes = 3;

/// Ends along x, y and, where there is one, z.
struct Box {
  std::array<float, kMostBoxAxes> low{}, high{};

  float extent(int axis) const { return high[static_cast<size_t>(axis)] - low[static_cast<size_t>(axis)]; }
  float middle(int axis) const { return .5f * (low[static_cast<size_t>(axis)] + high[static_cast<size_t>(axis)]); }
  float volume(int ndim) const;
  /// Along each axis; the high end is outside.
  bool holds_middle_of(const Box& other, int ndim) const;
};

/// Volume of what both have in common.
float common_volume(const Box& a, const Box& b, int ndim);
/// Common volume in parts of the volume of both together.
float intersection_over_union(const Box& a, const Box& b, int ndim);

/// What each number of a row is: "xyXY", "xyWH", "xyzXYZ", "xyzWHD" or those letters in another order.
class BoxLayout {
 public:
  /// @throws ArgumentError
  BoxLayout(std::string_view letters, int ndim);
  int ndim() const { return ndim_; }
  Box read(const float* row) const;
  void write(const Box& box, float* row) const;

 private:
  int ndim_;
  bool extents_ = false;
  std::array<int8_t, kMostBoxAxes> low_{}, high_{};  // places in a row
};

/// Arguments of operators that read boxes within a picture.
struct BoxReadingArgs {
  bool clamp_boxes = false;  ///< boxes that leave the picture are cut instead of refused
  bool check_boxes = true;   ///< boxes that are turned around are refused
};

/// Reads boxes whose coordinates are parts of a picture's extents into `boxes`.
/// @throws DataError that names the box: one that is no box, or leaves [0, 1]
void read_boxes(const TensorView& tensor, const BoxLayout& layout, const BoxReadingArgs& rules,
                std::vector<Box>& boxes);

/// Checks that the tensor is [boxes, 2 * axes] of FLOAT and returns the number of axes, 2 or 3. @throws TypeError,
/// ArgumentError
int box_axes(const TensorDesc& tensor);

/// Checks labels that go with boxes, and describes those of `kept` boxes: [kept], or [kept, 1] where labels are so.
/// @throws ArgumentError for another number of labels than of boxes
TensorDesc describe_labels(const TensorDesc& labels, int64_t boxes, int64_t kept);
/// Copies the rows that `kept` names.
void copy_rows(const TensorView& from, std::span<const int32_t> kept, const TensorView& to);

}  // namespace penstock

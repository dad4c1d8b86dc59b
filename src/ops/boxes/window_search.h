// The search for a random window that shows enough of the boxes on a picture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "ops/boxes/box.h"
#include "schema/registry.h"

namespace penstock {

/// What windows are drawn, and which will do.
struct WindowRules {
  std::vector<float> thresholds = {0}, scaling = {1, 1}, aspect_ratio = {1, 1};
  int64_t num_attempts = 1;
  std::optional<int64_t> total_num_attempts;
  std::optional<float> bbox_prune_threshold;
  std::string threshold_type = "iou";
  bool allow_no_crop = true, all_boxes_above_threshold = true;

  /// @throws ArgumentError that names the argument
  void check() const;
};

/// Extents in x, y, z.
using Extents = std::array<int64_t, kMostBoxAxes>;

/// A window in parts of the picture's extents, and the boxes that it shows.
struct FoundWindow {
  Box window;
  std::vector<int32_t> kept;  ///< boxes, in their order
};

class WindowSearch {
 public:
  /// @param input   extents of the picture, which make ratios those of pixels; absent: ratios are of parts
  /// @param window  extents of the window in pixels, where they are given instead of drawn
  WindowSearch(const WindowRules& rules, int ndim, const std::optional<Extents>& input,
               const std::optional<Extents>& window);
  /// Without `total_num_attempts` it gives up after a great many. @throws DataError
  FoundWindow find(Random& random, std::span<const Box> boxes) const;

 private:
  struct Option {
    bool whole = false;
    float threshold = 0;
  };
  std::optional<Box> draw(Random& random) const;
  std::optional<std::array<float, kMostBoxAxes>> draw_extents(Random& random) const;
  void fix_ratios(Random& random, std::array<float, kMostBoxAxes>& extents) const;
  /// Least and greatest ratio of extents along both axes, in parts of the picture.
  std::array<float, 2> ratios(int axis, int other) const;
  float overlap(const Box& window, std::span<const Box> boxes) const;
  std::vector<int32_t> shown(const Box& window, std::span<const Box> boxes) const;

  const WindowRules& rules_;
  int ndim_;
  std::optional<Extents> input_, window_;
  bool relative_;  ///< thresholds are parts of a box, not of box and window together
  std::vector<Option> options_;
};

/// Describes what boxes may be.
template <class Op>
void add_box_reading_args(OpBuilder<Op>& op) {
  op.arg("clamp_boxes", &BoxReadingArgs::clamp_boxes,
         "Cut boxes to [0, 1], which rounding may have put slightly outside, instead of refusing them.");
  op.arg("check_boxes", &BoxReadingArgs::check_boxes,
         "Refuse boxes that are turned around; otherwise windows never show enough of them.");
  op.differs("Boxes that are turned around are refused, unless `check_boxes` is False, as it is in `penstock.dali`.");
}

/// Coordinates in the window, in parts of its extents.
Box seen_from(const Box& window, const Box& box, int ndim);

}  // namespace penstock

// What a box shares with anchors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace penstock::kernels {

/// Ends and areas of anchors, each kind of number in a list of its own.
struct AnchorTable {
  std::vector<float> left, top, right, bottom, area;
  void add(float l, float t, float r, float b);
};

/// Where the box (left, top, right, bottom) shares as much or more with an anchor than `best` says, it takes the
/// anchor: `best` and `box_of` change. What both share is in parts of both together.
/// @return the anchor that shares most with the box, the last one of several
size_t match_box(const float* box, int32_t number, const AnchorTable& anchors, std::span<float> best,
                 std::span<int32_t> box_of);

}  // namespace penstock::kernels

#include "kernels/boxes/match.h"

#include <algorithm>
#include <array>

namespace penstock::kernels {
namespace {

constexpr size_t kBlock = 256;  // anchors whose numbers stay in the L1 cache between both loops

}  // namespace

void AnchorTable::add(float l, float t, float r, float b) {
  left.push_back(l), top.push_back(t), right.push_back(r), bottom.push_back(b);
  area.push_back((r - l) * (b - t));
}

size_t match_box(const float* box, int32_t number, const AnchorTable& anchors, std::span<float> best,
                 std::span<int32_t> box_of) {
  const float l = box[0], t = box[1], r = box[2], b = box[3], area = (r - l) * (b - t);
  std::array<float, kBlock> shared;
  size_t closest = 0;
  float most = -1;
  for (size_t first = 0; first < best.size(); first += kBlock) {
    const size_t count = std::min(kBlock, best.size() - first);
    const float *lefts = &anchors.left[first], *tops = &anchors.top[first], *rights = &anchors.right[first];
    const float *bottoms = &anchors.bottom[first], *areas = &anchors.area[first];
    for (size_t i = 0; i < count; ++i) {  // the compiler makes vectors of it
      const float width = std::min(r, rights[i]) - std::max(l, lefts[i]);
      const float height = std::min(b, bottoms[i]) - std::max(t, tops[i]);
      const float common = std::max(width, 0.0f) * std::max(height, 0.0f);
      shared[i] = common / (area + areas[i] - common);
    }
    for (size_t i = 0; i < count; ++i) {
      if (shared[i] >= most) most = shared[i], closest = first + i;
      if (shared[i] >= best[first + i]) best[first + i] = shared[i], box_of[first + i] = number;
    }
  }
  return closest;
}

}  // namespace penstock::kernels

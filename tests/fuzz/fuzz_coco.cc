// Annotation files and run lengths from strangers, and what is made of them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/error.h>

#include "readers/coco/annotations.h"
#include "readers/coco/data_set.h"
#include "readers/coco/mask.h"

namespace {

using namespace penstock;  // NOLINT

/// Paints all objects of small pictures.
void paint_all(const coco::DataSet& set) {
  constexpr int64_t kMostPixels = 1 << 16;
  std::vector<int64_t> ends;
  for (const coco::Entry& entry : set.entries) {
    const int64_t pixels = int64_t{entry.height} * entry.width;
    if (pixels > kMostPixels) continue;
    std::vector<int32_t> image(static_cast<size_t>(pixels));
    const coco::Canvas canvas{image.data(), entry.height, entry.width};
    const auto vertices = coco::part(set.vertices, entry.vertices);
    for (const coco::Polygon& one : coco::part(set.polygons, entry.polygons))
      coco::paint(vertices.subspan(static_cast<size_t>(one.begin), static_cast<size_t>(one.end - one.begin)), 1, canvas,
                  ends);
    for (const coco::Mask& one : coco::part(set.masks, entry.masks))
      coco::paint(coco::part(set.counts, one.rle.counts), 2, canvas);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    std::vector<uint32_t> counts;
    coco::append_counts(text, 1 << 20, counts);
  } catch (const DataError&) {
  }
  for (const bool masks : {false, true}) {
    try {
      const coco::Choice choice{.ratio = true, .ignore_strays = true, .polygons = !masks, .masks = masks};
      paint_all(coco::arranged(coco::parse_annotations(text, {.polygons = true, .masks = masks}), choice));
    } catch (const DataError&) {
    }
  }
  return 0;
}

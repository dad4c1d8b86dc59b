// What a COCO annotation file says, as it says it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace penstock::coco {

using Box = std::array<float, 4>;     ///< x, y, width, height
using Vertex = std::array<float, 2>;  ///< x, y

struct Image {
  int64_t id = 0;
  int32_t width = 0, height = 0;  ///< 0 where the file does not tell
  std::string file;
};

/// [begin, end) of a list.
struct Range {
  size_t begin = 0, end = 0;
  size_t size() const { return end - begin; }
};

/// A mask as lengths of runs, column by column, in turn outside and inside of the object.
struct Rle {
  int32_t height = 0, width = 0;
  Range counts;  ///< among Annotations::counts
};

struct Annotation {
  int64_t number = 0;  ///< place in the file's list, for messages
  int64_t image = 0, category = 0;
  Box box{};
  Range polygons;  ///< among Annotations::polygon_ends
  Rle mask;        ///< of no height where there is none
};

struct Annotations {
  std::vector<Image> images;
  std::vector<int64_t> categories;  ///< their ids, in the file's order
  std::vector<Annotation> objects;
  std::vector<size_t> polygon_ends;  ///< vertices up to the end of each polygon
  std::vector<Vertex> vertices;
  std::vector<uint32_t> counts;
};

/// Which annotations are taken, and what of them.
struct Filters {
  float size_threshold = 0.1f;  ///< boxes with a smaller side are left out
  bool include_iscrowd = true;
  bool polygons = false, masks = false;
};

/// @throws DataError that tells line and column: for what is no JSON, for keys that are missing or of another type
Annotations parse_annotations(std::string text, const Filters& filters);

/// Lengths of runs from COCO's text form. @throws DataError for what is none, or describes more than `most` pixels
void append_counts(std::string_view text, uint64_t most, std::vector<uint32_t>& counts);

}  // namespace penstock::coco

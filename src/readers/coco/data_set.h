// The samples of a COCO data set: pictures and what is on them, as the reader gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "readers/coco/annotations.h"

namespace penstock::coco {

/// What the arguments of the reader ask for.
struct Choice {
  bool ltrb = false, ratio = false, skip_empty = false, remap = true, ignore_strays = false;
  bool polygons = false, masks = false;
  const std::vector<std::string>* images = nullptr;  ///< names of files in the order that is wanted; null: all, by id
};

/// Vertices [begin, end) of a sample's object.
struct Polygon {
  int32_t object = 0, begin = 0, end = 0;
};
struct Mask {
  int32_t object = 0;
  Rle rle;
};

struct Entry {
  int64_t id = 0;
  int32_t width = 0, height = 0;
  Range objects, polygons, vertices, masks;
};

/// Lists of all samples, one behind the other.
struct DataSet {
  std::vector<std::string> files;
  std::vector<Entry> entries;
  std::vector<Box> boxes;
  std::vector<int32_t> labels;
  std::vector<Polygon> polygons;
  std::vector<Vertex> vertices;  ///< in pixels where there are masks
  std::vector<Mask> masks;
  std::vector<uint32_t> counts;

  uint64_t fingerprint() const;
};

template <class T>
std::span<const T> part(const std::vector<T>& list, Range range) {
  return std::span(list).subspan(range.begin, range.size());
}

/// @throws DataError for annotations that contradict each other, ArgumentError for `images` that are not there
DataSet arranged(Annotations all, const Choice& choice);

/// DALI's files of annotations that were prepared before, which hold boxes and polygons as its arguments then asked.
void save_preprocessed(const std::string& directory, const DataSet& set, const Choice& choice, bool ids);
/// @throws ArgumentError for a directory without such files, DataError for what does not fit together
DataSet load_preprocessed(const std::string& directory, const Choice& choice, bool ids);

}  // namespace penstock::coco

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/check.h"
#include "readers/coco/data_set.h"
#include "readers/file/posix_file.h"

namespace penstock::coco {
namespace {

// DALI's files: each the number of elements, a uint32, and then the elements as they lie in memory.

class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path), file_(path, std::ios::binary) {}
  template <class T>
  void put(const T& value) {
    file_.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(std::string_view text) { file_.write(text.data(), static_cast<std::streamsize>(text.size())); }
  void finish() {
    file_.close();
    PENSTOCK_CHECK(file_.good(), ArgumentError, "Cannot write \"{}\": {}", path_, system_message(errno));
  }

 private:
  std::string path_;
  std::ofstream file_;
};

class Saver {
 public:
  explicit Saver(const std::string& directory) : directory_(directory) {}
  /// Writes what `element(x)` gives of each of the list.
  template <class T, class Fn>
  void save(const char* name, const std::vector<T>& list, Fn&& element) const {
    Writer file(directory_ + "/" + name);
    file.put(static_cast<uint32_t>(list.size()));
    for (const T& one : list) file.put(element(one));
    file.finish();
  }
  template <class T>
  void save(const char* name, const std::vector<T>& list) const {
    save(name, list, [](const T& one) { return one; });
  }

 private:
  const std::string& directory_;
};

/// A list of numbers, not of boxes.
void save_boxes(const std::string& path, const std::vector<Box>& boxes) {
  Writer file(path);
  file.put(static_cast<uint32_t>(boxes.size() * std::tuple_size_v<Box>));
  for (const Box& box : boxes) file.put(box);
  file.finish();
}

int32_t narrow(size_t value) { return static_cast<int32_t>(value); }

class Loader {
 public:
  explicit Loader(const std::string& directory) : directory_(directory) {}
  std::string text(const char* name) const { return PosixFile::open_named(path(name)).text(); }

  /// DALI writes no file for a list without entries.
  template <class T>
  std::vector<T> list(const char* name) const {
    if (!std::filesystem::exists(path(name))) return {};
    const std::string bytes = text(name);
    uint32_t count = 0;
    if (bytes.size() >= sizeof count) std::memcpy(&count, bytes.data(), sizeof count);
    PENSTOCK_CHECK(bytes.size() == sizeof count + count * sizeof(T), DataError,
                   "\"{}\" has {} bytes, which are no {} entries: it was cut off, or written by another program",
                   path(name), bytes.size(), count);
    std::vector<T> all(count);
    if (count > 0) std::memcpy(all.data(), bytes.data() + sizeof count, count * sizeof(T));
    return all;
  }

  /// The parts of a list of `size` entries that belong to each sample.
  template <class T>
  std::vector<Range> ranges(const char* begins, const char* counts, size_t samples, size_t size) const {
    const std::vector<T> from = list<T>(begins), count = list<T>(counts);
    PENSTOCK_CHECK(from.size() == samples && count.size() == samples, DataError,
                   "\"{}\" and \"{}\" must have an entry for each of {} files, got {} and {}", path(begins), counts,
                   samples, from.size(), count.size());
    std::vector<Range> all;
    for (size_t i = 0; i < samples; ++i) {
      const bool inside = from[i] >= 0 && count[i] >= 0 && static_cast<size_t>(from[i]) <= size &&
                          static_cast<size_t>(count[i]) <= size - static_cast<size_t>(from[i]);
      PENSTOCK_CHECK(inside, DataError, "entry {} of \"{}\" speaks of {} elements from {} on, there are {}", i,
                     path(begins), count[i], from[i], size);
      all.push_back({static_cast<size_t>(from[i]), static_cast<size_t>(from[i] + count[i])});
    }
    return all;
  }

  std::string path(const char* name) const { return directory_ + "/" + name; }

 private:
  const std::string& directory_;
};

void load_files(const Loader& load, DataSet& set) {
  const std::string text = load.text("filenames.dat");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!line.empty()) set.files.emplace_back(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  set.entries.resize(set.files.size());
}

void load_polygons(const Loader& load, DataSet& set) {
  const size_t samples = set.entries.size();
  set.polygons = load.list<Polygon>("polygon_data.dat");
  set.vertices = load.list<Vertex>("vertices.dat");
  const auto polygons = load.ranges<int64_t>("polygon_offset.dat", "polygons_count.dat", samples, set.polygons.size());
  const auto vertices = load.ranges<int64_t>("vertices_offset.dat", "vertices_count.dat", samples, set.vertices.size());
  for (size_t i = 0; i < samples; ++i) {
    Entry& entry = set.entries[i];
    entry.polygons = polygons[i], entry.vertices = vertices[i];
    for (const Polygon& one : part(set.polygons, entry.polygons))
      PENSTOCK_CHECK(one.object >= 0 && static_cast<size_t>(one.object) < entry.objects.size() && one.begin >= 0 &&
                         one.begin <= one.end && static_cast<size_t>(one.end) <= entry.vertices.size(),
                     DataError, "\"{}\": a polygon of \"{}\" is of no object, or has vertices that are not there",
                     load.path("polygon_data.dat"), set.files[i]);
  }
}

void load_boxes(const Loader& load, DataSet& set) {
  const std::vector<float> numbers = load.list<float>("boxes.dat");
  set.labels = load.list<int32_t>("labels.dat");
  constexpr size_t kSides = std::tuple_size_v<Box>;
  PENSTOCK_CHECK(numbers.size() == kSides * set.labels.size(), DataError,
                 "\"{}\" has {} numbers, \"labels.dat\" {} labels", load.path("boxes.dat"), numbers.size(),
                 set.labels.size());
  set.boxes.resize(set.labels.size());
  for (size_t i = 0; i < numbers.size(); ++i) set.boxes[i / kSides][i % kSides] = numbers[i];
}

/// Masks come with their own sizes, one behind the other.
void take_masks(const Loader& load, DataSet& set) {
  const std::vector<int32_t> objects = load.list<int32_t>("masks_rles_idx.dat");
  if (objects.empty()) return;
  const std::string bytes = load.text("masks_rles.dat");
  size_t at = 0;
  const auto take = [&](auto& value) {
    PENSTOCK_CHECK(bytes.size() - at >= sizeof value, DataError, "\"{}\" was cut off", load.path("masks_rles.dat"));
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  };
  uint32_t count = 0;
  take(count);
  PENSTOCK_CHECK(count == objects.size(), DataError, "\"{}\" has {} masks, of {} objects", load.path("masks_rles.dat"),
                 count, objects.size());
  for (const int32_t object : objects) {
    uint64_t height = 0, width = 0, runs = 0;
    take(height), take(width), take(runs);
    constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
    PENSTOCK_CHECK(height <= kMost && width <= kMost && runs <= (bytes.size() - at) / sizeof(uint32_t), DataError,
                   "\"{}\" was cut off", load.path("masks_rles.dat"));
    Mask& mask = set.masks.emplace_back();
    mask.object = object;
    mask.rle = {
        static_cast<int32_t>(height), static_cast<int32_t>(width), {set.counts.size(), set.counts.size() + runs}};
    for (uint64_t i = 0; i < runs; ++i) take(set.counts.emplace_back());
  }
  PENSTOCK_CHECK(at == bytes.size(), DataError, "\"{}\" holds more than its {} masks", load.path("masks_rles.dat"),
                 count);
}

void load_masks(const Loader& load, DataSet& set) {
  take_masks(load, set);
  const auto ranges = load.ranges<int64_t>("masks_offset.dat", "mask_count.dat", set.entries.size(), set.masks.size());
  const std::vector<int32_t> heights = load.list<int32_t>("heights.dat"), widths = load.list<int32_t>("widths.dat");
  for (size_t i = 0; i < set.entries.size(); ++i) {
    Entry& entry = set.entries[i];
    PENSTOCK_CHECK(heights.size() == widths.size() && i < heights.size() && heights[i] > 0 && widths[i] > 0, DataError,
                   "\"{}\" and \"{}\" lack the size of \"{}\"", load.path("heights.dat"), "widths.dat", set.files[i]);
    entry.masks = ranges[i], entry.height = heights[i], entry.width = widths[i];
    for (const Mask& one : part(set.masks, entry.masks))
      PENSTOCK_CHECK(one.object >= 0 && static_cast<size_t>(one.object) < entry.objects.size() &&
                         one.rle.height == entry.height && one.rle.width == entry.width,
                     DataError, "\"{}\": a mask of \"{}\" is of no object, or of another size than the picture",
                     load.path("masks_rles.dat"), set.files[i]);
  }
}

}  // namespace

void save_preprocessed(const std::string& directory, const DataSet& set, const Choice& choice, bool ids) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const Saver saver(directory);
  const auto save = [&](const char* name, auto&& element) { saver.save(name, set.entries, element); };
  save("offsets.dat", [](const Entry& e) { return narrow(e.objects.begin); });
  save("counts.dat", [](const Entry& e) { return narrow(e.objects.size()); });
  save_boxes(directory + "/boxes.dat", set.boxes);
  saver.save("labels.dat", set.labels);
  Writer names(directory + "/filenames.dat");
  for (const std::string& file : set.files) names.put_text(file), names.put_text("\n");
  names.finish();
  if (ids) save("original_ids.dat", [](const Entry& e) { return static_cast<int32_t>(e.id); });
  if (!choice.polygons && !choice.masks) return;
  saver.save("polygon_data.dat", set.polygons);
  save("polygon_offset.dat", [](const Entry& e) { return e.polygons.begin; });
  save("polygons_count.dat", [](const Entry& e) { return e.polygons.size(); });
  saver.save("vertices.dat", set.vertices);
  save("vertices_offset.dat", [](const Entry& e) { return e.vertices.begin; });
  save("vertices_count.dat", [](const Entry& e) { return e.vertices.size(); });
  if (!choice.masks) return;
  saver.save("masks_rles_idx.dat", set.masks, [](const Mask& m) { return m.object; });
  save("masks_offset.dat", [](const Entry& e) { return e.masks.begin; });
  save("mask_count.dat", [](const Entry& e) { return e.masks.size(); });
  save("heights.dat", [](const Entry& e) { return e.height; });
  save("widths.dat", [](const Entry& e) { return e.width; });
  Writer masks(directory + "/masks_rles.dat");
  masks.put(static_cast<uint32_t>(set.masks.size()));
  for (const Mask& mask : set.masks) {
    masks.put(static_cast<uint64_t>(mask.rle.height));
    masks.put(static_cast<uint64_t>(mask.rle.width));
    masks.put(static_cast<uint64_t>(mask.rle.counts.size()));
    for (const uint32_t count : part(set.counts, mask.rle.counts)) masks.put(count);
  }
  masks.finish();
}

DataSet load_preprocessed(const std::string& directory, const Choice& choice, bool ids) {
  const Loader load(directory);
  DataSet set;
  load_files(load, set);
  load_boxes(load, set);
  const auto objects = load.ranges<int32_t>("offsets.dat", "counts.dat", set.entries.size(), set.boxes.size());
  for (size_t i = 0; i < objects.size(); ++i) set.entries[i].objects = objects[i];
  if (ids) {
    const std::vector<int32_t> original = load.list<int32_t>("original_ids.dat");
    PENSTOCK_CHECK(original.size() == set.entries.size(), DataError, "\"{}\" has {} ids for {} files",
                   load.path("original_ids.dat"), original.size(), set.entries.size());
    for (size_t i = 0; i < original.size(); ++i) set.entries[i].id = original[i];
  }
  if (choice.polygons || choice.masks) load_polygons(load, set);
  if (choice.masks) load_masks(load, set);
  return set;
}

}  // namespace penstock::coco

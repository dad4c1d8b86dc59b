#include "readers/coco/data_set.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "core/check.h"
#include "readers/fingerprint.h"

namespace penstock::coco {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

/// Puts a data set together, sample by sample.
class Arranger {
 public:
  Arranger(Annotations all, const Choice& choice) : all_(std::move(all)), choice_(choice) {}

  DataSet arrange() {
    index_images();
    index_categories();
    group_objects();
    if (choice_.images)
      for (const size_t image : chosen()) add(image);
    else
      for (const size_t image : by_id()) add(image);
    return std::move(set_);
  }

 private:
  void index_images() {
    for (size_t i = 0; i < all_.images.size(); ++i) {
      const Image& image = all_.images[i];
      PENSTOCK_CHECK(image_of_.emplace(image.id, i).second, DataError,
                     "two entries of `images` have the id {}: \"{}\" and \"{}\"", image.id,
                     all_.images[image_of_[image.id]].file, image.file);
      const bool sized = image.width > 0 && image.height > 0;
      PENSTOCK_CHECK(sized || !(choice_.ratio || choice_.masks), DataError,
                     "image {} (\"{}\") has no `width` and `height`, which `ratio` and `pixelwise_masks` need",
                     image.id, image.file);
    }
  }

  void index_categories() {
    for (size_t i = 0; i < all_.categories.size(); ++i)
      label_of_.emplace(all_.categories[i], static_cast<int32_t>(i) + 1);
  }

  /// Sorts the objects by the place of their image; those of one image stay in the file's order.
  void group_objects() {
    std::vector<size_t> image(all_.objects.size());
    begins_.assign(all_.images.size() + 1, 0);
    for (size_t i = 0; i < image.size(); ++i) {
      const Annotation& one = all_.objects[i];
      const auto found = image_of_.find(one.image);
      PENSTOCK_CHECK(
          found != image_of_.end() || choice_.ignore_strays, DataError,
          "entry {} of `annotations` is of the image {}, which is not among `images`; pass ignore_strays=True if "
          "annotations of other images are to be left out",
          one.number, one.image);
      image[i] = found == image_of_.end() ? kNone : found->second;
      if (image[i] != kNone) ++begins_[image[i] + 1];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    grouped_.resize(begins_.back());
    std::vector<size_t> next(begins_.begin(), begins_.end() - 1);
    for (size_t i = 0; i < image.size(); ++i)
      if (image[i] != kNone) grouped_[next[image[i]]++] = i;
  }

  std::vector<size_t> by_id() const {
    std::vector<size_t> order(all_.images.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return all_.images[i].id; });
    return order;
  }

  std::vector<size_t> chosen() const {
    std::unordered_map<std::string_view, size_t> by_name;
    for (size_t i = 0; i < all_.images.size(); ++i) {
      const auto [at, fresh] = by_name.emplace(all_.images[i].file, i);
      if (!fresh) at->second = kNone;
    }
    std::vector<size_t> order;
    for (const std::string& file : *choice_.images) {
      const auto at = by_name.find(file);
      PENSTOCK_CHECK(at != by_name.end(), ArgumentError,
                     "`images` names \"{}\", which is no `file_name` of the annotations", file);
      PENSTOCK_CHECK(at->second != kNone, ArgumentError,
                     "`images` names \"{}\", which is the `file_name` of several images", file);
      order.push_back(at->second);
    }
    return order;
  }

  void add(size_t index) {
    const Image& image = all_.images[index];
    const auto objects = part(grouped_, {begins_[index], begins_[index + 1]});
    if (objects.empty() && choice_.skip_empty) return;
    Entry entry{.id = image.id, .width = image.width, .height = image.height};
    entry.objects = {set_.boxes.size(), set_.boxes.size() + objects.size()};
    entry.polygons.begin = set_.polygons.size();
    entry.vertices.begin = set_.vertices.size();
    entry.masks.begin = set_.masks.size();
    for (size_t k = 0; k < objects.size(); ++k) add(all_.objects[objects[k]], image, entry, static_cast<int32_t>(k));
    entry.polygons.end = set_.polygons.size();
    entry.vertices.end = set_.vertices.size();
    entry.masks.end = set_.masks.size();
    set_.entries.push_back(entry);
    set_.files.push_back(image.file);
  }

  void add(const Annotation& one, const Image& image, const Entry& entry, int32_t object) {
    set_.labels.push_back(label(one));
    const auto w = static_cast<float>(image.width), h = static_cast<float>(image.height);
    Box box = one.box;
    if (choice_.ltrb) box[2] += box[0], box[3] += box[1];
    if (choice_.ratio) box = {box[0] / w, box[1] / h, box[2] / w, box[3] / h};
    set_.boxes.push_back(box);
    for (size_t i = one.polygons.begin; i < one.polygons.end; ++i) {
      const Range range{i == 0 ? 0 : all_.polygon_ends[i - 1], all_.polygon_ends[i]};
      const auto begin = static_cast<int32_t>(set_.vertices.size() - entry.vertices.begin);
      set_.polygons.push_back({object, begin, begin + static_cast<int32_t>(range.size())});
      for (const Vertex& v : part(all_.vertices, range))
        set_.vertices.push_back(choice_.ratio && !choice_.masks ? Vertex{v[0] / w, v[1] / h} : v);
    }
    if (one.mask.height == 0) return;
    PENSTOCK_CHECK(one.mask.height == image.height && one.mask.width == image.width, DataError,
                   "entry {} of `annotations` (image_id {}) has a mask of {} x {}, its image has {} x {}", one.number,
                   image.id, one.mask.height, one.mask.width, image.height, image.width);
    Rle rle = one.mask;
    rle.counts = {set_.counts.size(), set_.counts.size() + one.mask.counts.size()};
    const auto counts = part(all_.counts, one.mask.counts);
    set_.counts.insert(set_.counts.end(), counts.begin(), counts.end());
    set_.masks.push_back({object, rle});
  }

  int32_t label(const Annotation& one) const {
    if (!choice_.remap) {
      PENSTOCK_CHECK(one.category == static_cast<int32_t>(one.category), DataError,
                     "entry {} of `annotations` (image_id {}) has the `category_id` {}, which is no INT32", one.number,
                     one.image, one.category);
      return static_cast<int32_t>(one.category);
    }
    const auto found = label_of_.find(one.category);
    PENSTOCK_CHECK(found != label_of_.end(), DataError,
                   "entry {} of `annotations` (image_id {}) has the `category_id` {}, which is not among `categories`; "
                   "avoid_class_remapping=True gives ids as they are",
                   one.number, one.image, one.category);
    return found->second;
  }

  Annotations all_;
  const Choice& choice_;
  DataSet set_;
  std::unordered_map<int64_t, size_t> image_of_;
  std::unordered_map<int64_t, int32_t> label_of_;
  std::vector<size_t> begins_, grouped_;  // of the objects of each image
};

}  // namespace

DataSet arranged(Annotations all, const Choice& choice) { return Arranger(std::move(all), choice).arrange(); }

uint64_t DataSet::fingerprint() const {
  Fingerprint all;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string_view file = files[i];
    all.add(file.substr(file.rfind('/') + 1));  // npos + 1 is 0: no directory
    all.add(static_cast<uint64_t>(entries[i].id));
    for (const int32_t label : part(labels, entries[i].objects)) all.add(static_cast<uint64_t>(label));
  }
  return all.value();
}

}  // namespace penstock::coco

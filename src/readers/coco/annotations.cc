#include "readers/coco/annotations.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "core/check.h"

namespace penstock::coco {
namespace {

namespace json = simdjson::ondemand;

/// Pixels of a mask, and the side of a picture, that a file may speak of.
constexpr int64_t kMostSide = int64_t{1} << 20;

/// What is read at the moment, for messages.
struct Place {
  const char* list = "";
  int64_t number = 0;
};

class Parser {
 public:
  Parser(std::string_view text, size_t capacity, const Filters& filters)
      : text_(text), padded_(text.data(), text.size(), capacity), filters_(filters) {}

  Annotations parse() {
    try {
      document_ = parser_.iterate(padded_);
      begun_ = true;
      bool images = false, annotations = false;
      for_each_field(document_.get_object(), [&](std::string_view key, json::value value) {
        if (key == "images") images = true, take_list(value, "images", [&](json::object o) { take_image(o); });
        if (key == "categories") take_list(value, "categories", [&](json::object o) { take_category(o); });
        if (key == "annotations")
          annotations = true, take_list(value, "annotations", [&](json::object o) { take_annotation(o); });
      });
      if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS) refuse("there is more behind the JSON text");
      PENSTOCK_CHECK(images, DataError, "no COCO annotations: the key `images` is missing");
      PENSTOCK_CHECK(annotations, DataError, "no COCO annotations: the key `annotations` is missing");
    } catch (const simdjson::simdjson_error& e) {
      if (e.error() == simdjson::INCORRECT_TYPE) refuse("another type of value than COCO's format has here");
      PENSTOCK_CHECK(e.error() != simdjson::UTF8_ERROR, DataError, "the text is not in UTF-8");
      if (e.error() == simdjson::INCOMPLETE_ARRAY_OR_OBJECT) refuse("the text ends early", text_.size());
      refuse(e.what());
    }
    return std::move(all_);
  }

 private:
  template <class Fn>
  static void for_each_field(json::object object, Fn&& fn) {
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      fn(key, json::value(field.value()));
    }
  }

  template <class Fn>
  void take_list(json::value value, const char* name, Fn&& take) {
    place_ = {name, 0};
    for (auto item : value.get_array()) {
      take(json::object(item.get_object()));
      ++place_.number;
    }
    place_ = {};
  }

  void take_image(json::object object) {
    Image image;
    bool id = false;
    for_each_field(object, [&](std::string_view key, json::value value) {
      if (key == "id") image.id = integer(value, "id"), id = true;
      if (key == "width") image.width = side(value, "width");
      if (key == "height") image.height = side(value, "height");
      if (key == "file_name") image.file = std::string_view(value.get_string());
    });
    require(id, "id");
    require(!image.file.empty(), "file_name");
    all_.images.push_back(std::move(image));
  }

  void take_category(json::object object) {
    bool id = false;
    for_each_field(object, [&](std::string_view key, json::value value) {
      if (key == "id") all_.categories.push_back(integer(value, "id")), id = true;
    });
    require(id, "id");
  }

  void take_annotation(json::object object) {
    Annotation one{.number = place_.number};
    bool image = false, category = false, box = false, crowd = false;
    one.polygons.begin = all_.polygon_ends.size();
    one.mask.counts.begin = all_.counts.size();
    for_each_field(object, [&](std::string_view key, json::value value) {
      if (key == "image_id") one.image = integer(value, "image_id"), image = true;
      if (key == "category_id") one.category = integer(value, "category_id"), category = true;
      if (key == "iscrowd") crowd = truth(value);
      if (key == "bbox") one.box = take_box(value), box = true;
      if (key == "segmentation" && (filters_.polygons || filters_.masks)) take_segmentation(value, one.mask);
    });
    require(image, "image_id");
    require(category, "category_id");
    require(box, "bbox");
    one.polygons.end = all_.polygon_ends.size();
    one.mask.counts.end = all_.counts.size();
    const bool large = one.box[2] >= filters_.size_threshold && one.box[3] >= filters_.size_threshold;
    if (large && (filters_.include_iscrowd || !crowd)) return all_.objects.push_back(one);
    all_.polygon_ends.resize(one.polygons.begin);
    all_.vertices.resize(all_.polygon_ends.empty() ? 0 : all_.polygon_ends.back());
    all_.counts.resize(one.mask.counts.begin);
  }

  Box take_box(json::value value) {
    Box box;
    size_t count = 0;
    for (auto item : value.get_array()) {
      const float number = real(item, "bbox");
      if (count < box.size()) box[count] = number;
      ++count;
    }
    if (count != box.size()) refuse(fmt::format("`bbox` must contain exactly 4 values, got {}", count));
    return box;
  }

  void take_segmentation(json::value value, Rle& mask) {
    const json::json_type type = value.type();
    if (type == json::json_type::object && filters_.masks) return take_rle(value.get_object(), mask);
    if (type != json::json_type::array) return;
    for (auto polygon : value.get_array()) {
      bool odd = false;
      for (auto item : polygon.get_array()) {
        const float number = real(item, "segmentation");
        if (odd)
          all_.vertices.back()[1] = number;
        else
          all_.vertices.push_back({number, 0});
        odd = !odd;
      }
      if (odd) refuse("a polygon of `segmentation` has an x without a y: its numbers are odd");
      all_.polygon_ends.push_back(all_.vertices.size());
    }
  }

  /// The text may come before the size that bounds what it says.
  void take_rle(json::object object, Rle& mask) {
    std::string_view text;
    bool listed = false;
    for_each_field(object, [&](std::string_view key, json::value value) {
      if (key == "size") {
        size_t count = 0;
        for (auto item : value.get_array()) {
          const int32_t extent = side(item.value(), "size");
          (count == 0 ? mask.height : mask.width) = extent;
          ++count;
        }
        if (count != 2) refuse(fmt::format("`size` of a mask must be [height, width], got {} numbers", count));
      }
      if (key != "counts") return;
      if (value.type() == json::json_type::string) {
        text = value.get_string();
      } else {
        listed = true;
        for (auto item : value.get_array()) all_.counts.push_back(run(item.value()));
      }
    });
    require(mask.height > 0 && mask.width > 0, "size");
    require(listed || !text.empty(), "counts");
    const auto most = static_cast<uint64_t>(mask.height) * static_cast<uint64_t>(mask.width);
    uint64_t covered = 0;
    try {
      if (!listed) append_counts(text, most, all_.counts);
    } catch (const DataError& e) {
      refuse(e.what());
    }
    for (size_t i = mask.counts.begin; i < all_.counts.size(); ++i) covered += all_.counts[i];
    if (covered > most)
      refuse(fmt::format("`counts` cover {} pixels of a mask that has {} x {}", covered, mask.height, mask.width));
  }

  uint32_t run(json::value value) {
    const int64_t number = integer(value, "counts");
    if (number < 0 || number > std::numeric_limits<uint32_t>::max())
      refuse(fmt::format("`counts` holds {}, which is no number of pixels", number));
    return static_cast<uint32_t>(number);
  }

  int32_t side(json::value value, const char* key) {
    const int64_t number = integer(value, key);
    if (number <= 0 || number > kMostSide)
      refuse(fmt::format("`{}` is {}: it must lie in [1, {}]", key, number, kMostSide));
    return static_cast<int32_t>(number);
  }

  float real(simdjson::simdjson_result<json::value> value, const char* key) {
    const double number = value.get_double();
    const auto narrow = static_cast<float>(number);
    if (!std::isfinite(narrow)) refuse(fmt::format("`{}` holds {}, which is no finite FLOAT", key, number));
    return narrow;
  }

  /// Whole numbers that went through floating point on their way into the file are integers, too.
  int64_t integer(json::value value, const char* key) {
    int64_t number = 0;
    if (value.get_int64().get(number) == simdjson::SUCCESS) return number;
    double wide = 0;
    const bool whole =
        value.get_double().get(wide) == simdjson::SUCCESS && std::abs(wide) <= 0x1p53 && std::trunc(wide) == wide;
    if (!whole) refuse(fmt::format("`{}` must be an integer of 64 bits", key));
    return static_cast<int64_t>(wide);
  }

  bool truth(json::value value) {
    if (value.type() == json::json_type::boolean) return value.get_bool();
    return integer(value, "iscrowd") != 0;
  }

  void require(bool given, const char* key) const {
    if (!given) refuse_object(fmt::format("the key `{}` is missing, or empty", key));
  }

  /// Something is wrong with the entry as a whole.
  [[noreturn]] void refuse_object(std::string_view what) const { fail<DataError>("{}: {}", told_entry(), what); }
  /// Something is wrong where the parser stands.
  [[noreturn]] void refuse(std::string_view what) {
    const char* at = nullptr;
    // A document that did not begin may not be asked.
    const bool told = begun_ && document_.current_location().get(at) == simdjson::SUCCESS && at >= text_.data() &&
                      at <= text_.data() + text_.size();
    refuse(what, told ? static_cast<size_t>(at - text_.data()) : text_.size());
  }
  /// Something is wrong at that byte.
  [[noreturn]] void refuse(std::string_view what, size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = std::ranges::count(before, '\n') + 1;
    const size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    const std::string entry = *place_.list == '\0' ? std::string() : told_entry() + ", ";
    fail<DataError>("{}line {}, column {}: {}", entry, line, column, what);
  }
  /// The entry that is read, with the id of its image where that can be told.
  std::string told_entry() const {
    const std::string_view key = place_.list == std::string_view("images") ? "id" : "image_id";
    const std::optional<int64_t> id = number_in_entry(key);
    return fmt::format("entry {} of `{}`{}", place_.number, place_.list, id ? fmt::format(" ({} {})", key, *id) : "");
  }
  /// Reads the text once more: the key may stand behind what is wrong.
  std::optional<int64_t> number_in_entry(std::string_view key) const {
    json::parser parser;
    json::document document;
    if (parser.iterate(padded_).get(document) != simdjson::SUCCESS) return std::nullopt;
    int64_t number = 0;
    const auto error = document[place_.list].at(static_cast<size_t>(place_.number))[key].get_int64().get(number);
    return error == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
  }

  std::string_view text_;
  simdjson::padded_string_view padded_;
  const Filters& filters_;
  json::parser parser_;
  json::document document_;
  bool begun_ = false;
  Annotations all_;
  Place place_;
};

}  // namespace

Annotations parse_annotations(std::string text, const Filters& filters) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte order mark
  const size_t size = text.size();
  text.resize(size + simdjson::SIMDJSON_PADDING);
  return Parser(std::string_view(text).substr(0, size), text.size(), filters).parse();
}

void append_counts(std::string_view text, uint64_t most, std::vector<uint32_t>& counts) {
  // Five bits a character, the lowest first; bit 5 tells that more follow, bit 4 of the last is the sign. From the
  // fourth number on they are differences to the one before the last.
  constexpr int kBits = 5, kDeepest = 7;
  const size_t first = counts.size();
  uint64_t covered = 0;
  for (size_t i = 0; i < text.size();) {
    int64_t value = 0;
    bool more = true;
    for (int k = 0; more; ++k) {
      PENSTOCK_CHECK(i < text.size() && k < kDeepest, DataError, "`counts` of a mask end in the middle of a number");
      const int bits = text[i++] - '0';
      PENSTOCK_CHECK(bits >= 0 && bits < 64, DataError, "`counts` of a mask hold a character that is none of theirs");
      value |= int64_t{bits & 31} << (kBits * k);
      more = (bits & 32) != 0;
      if (!more && (bits & 16) != 0) value -= int64_t{1} << (kBits * (k + 1));
    }
    if (counts.size() - first > 2) value += counts[counts.size() - 2];
    PENSTOCK_CHECK(value >= 0 && static_cast<uint64_t>(value) <= most - covered, DataError,
                   "`counts` of a mask cover more pixels than the {} that it has, or fewer than none", most);
    covered += static_cast<uint64_t>(value);
    counts.push_back(static_cast<uint32_t>(value));
  }
}

}  // namespace penstock::coco

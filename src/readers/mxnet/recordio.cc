#include "readers/mxnet/recordio.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "readers/file/window.h"
#include "readers/records/index_text.h"

namespace penstock {
namespace {

constexpr uint32_t kMagic = 0xced7230a;
constexpr int64_t kHead = 8;
enum Position : uint32_t { kWhole = 0, kFirst = 1, kMiddle = 2, kLast = 3 };

template <class T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

struct PartHead {
  Position position;
  int64_t size;    ///< of the data
  int64_t padded;  ///< to a multiple of four
};

PartHead head_of(std::string_view bytes) {
  PENSTOCK_CHECK(static_cast<int64_t>(bytes.size()) >= kHead, DataError,
                 "Invalid RecordIO: a record ends in the head of a part");
  PENSTOCK_CHECK(number_at<uint32_t>(bytes, 0) == kMagic, DataError,
                 "Invalid RecordIO: wrong magic number: the file is damaged, or its index is that of another one");
  const uint32_t word = number_at<uint32_t>(bytes, 4);
  PENSTOCK_CHECK(word >> 29 <= kLast, DataError, "Invalid RecordIO: a part has the position {}", word >> 29);
  const int64_t size = word & ((uint32_t{1} << 29) - 1);
  return {static_cast<Position>(word >> 29), size, (size + 3) / 4 * 4};
}

/// Whether a part of this position may follow; sets whether another one must.
bool follows(Position position, bool& open) {
  const bool begins = position == kWhole || position == kFirst;
  if (begins == open) return false;
  open = position == kFirst || position == kMiddle;
  return true;
}

/// Calls visit(data) for the parts of the record that `bytes` begin with.
template <class Visit>
void for_each_part(std::string_view bytes, Visit&& visit) {
  bool open = false;
  do {
    const PartHead head = head_of(bytes);
    PENSTOCK_CHECK(follows(head.position, open), DataError, "Invalid RecordIO: parts of a record are out of order");
    PENSTOCK_CHECK(
        head.size <= static_cast<int64_t>(bytes.size()) - kHead, DataError,
        "Invalid RecordIO: a part of {} bytes has {}: the file was cut off, or its index is that of another one",
        head.size, static_cast<int64_t>(bytes.size()) - kHead);
    visit(bytes.substr(kHead, static_cast<size_t>(head.size)));
    bytes.remove_prefix(std::min(bytes.size(), static_cast<size_t>(kHead + head.padded)));
  } while (open);
}

}  // namespace

std::vector<Place> list_recordio(const PosixFile& file) {
  std::vector<Place> places;
  Window window(file);
  bool open = false;
  for (int64_t at = 0; at < file.size();) {
    const PartHead head = head_of(window.at(at, kHead));
    PENSTOCK_CHECK(follows(head.position, open), DataError,
                   "Invalid RecordIO: parts of a record are out of order at byte {}", at);
    PENSTOCK_CHECK(head.padded <= file.size() - at - kHead, DataError,
                   "Invalid RecordIO: no whole record at byte {} of {}: the file was cut off", at, file.size());
    if (head.position == kWhole || head.position == kFirst) places.push_back({at, 0});
    at += kHead + head.padded;
    places.back().size = at - places.back().begin;
  }
  PENSTOCK_CHECK(!open, DataError, "Invalid RecordIO: the file was cut off inside a record");
  return places;
}

std::vector<Place> parse_recordio_index(std::string_view text, int64_t file_size) {
  std::vector<Place> places;
  for_each_index_line(text, [&](std::string_view line, int64_t number) {
    const std::string_view whole = line;
    int64_t key = 0, offset = 0;
    PENSTOCK_CHECK(take_number(line, key) && take_number(line, offset) && is_end(line), DataError,
                   "line {} of the index is not \"key offset\": {}", number, whole.substr(0, 100));
    places.push_back({offset, 0});
  });
  PENSTOCK_CHECK(!places.empty(), DataError, "RecordIO index file doesn't contain any indices");
  std::ranges::sort(places, {}, &Place::begin);
  for (size_t i = 0; i < places.size(); ++i)
    places[i].size = (i + 1 < places.size() ? places[i + 1].begin : file_size) - places[i].begin;
  return places;
}

std::string_view join_parts(std::string_view bytes, const std::function<char*(size_t)>& room) {
  std::string_view only;
  size_t parts = 0, size = 0;
  for_each_part(bytes, [&](std::string_view part) {
    only = part;
    size += part.size();
    ++parts;
  });
  if (parts == 1) return only;
  size += (parts - 1) * sizeof(kMagic);  // a record is cut at each magic number in it, which is left out
  char* record = room(size);
  char* end = record;
  for_each_part(bytes, [&](std::string_view part) {
    end = std::copy(part.begin(), part.end(), end);
    if (--parts == 0) return;
    std::memcpy(end, &kMagic, sizeof(kMagic));
    end += sizeof(kMagic);
  });
  return {record, static_cast<size_t>(end - record)};
}

ImageRecord parse_image_record(std::string_view record) {
  constexpr size_t kFlag = 0, kLabel = 4, kImage = 24;  // the picture's numbers in between are not used
  PENSTOCK_CHECK(record.size() >= kImage, DataError,
                 "Invalid RecordIO file (record payload length: {} bytes, minimum is {} bytes)", record.size(), kImage);
  const uint64_t labels = number_at<uint32_t>(record, kFlag);
  PENSTOCK_CHECK(labels <= (record.size() - kImage) / sizeof(float), DataError,
                 "Invalid RecordIO: a record of {} bytes cannot have {} labels", record.size(), labels);
  ImageRecord image{.label = number_at<float>(record, kLabel)};
  record.remove_prefix(kImage);
  image.labels = record.substr(0, labels * sizeof(float));
  image.image = record.substr(image.labels.size());
  return image;
}

}  // namespace penstock

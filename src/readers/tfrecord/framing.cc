#include "readers/tfrecord/framing.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "readers/file/window.h"
#include "readers/records/index_text.h"
#include "readers/tfrecord/crc32c.h"

namespace penstock {
namespace {

constexpr int64_t kLength = 8, kCrc = 4, kHead = kLength + kCrc, kFrame = kHead + kCrc;

template <class T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

bool crc_fits(std::string_view bytes, std::string_view crc) {
  return masked_crc32c(bytes) == number_at<uint32_t>(crc, 0);
}

}  // namespace

std::string tfrecord_frame(std::string_view record) {
  std::string frame;
  frame.reserve(record.size() + static_cast<size_t>(kFrame));
  const auto add = [&](auto number) { frame.append(reinterpret_cast<const char*>(&number), sizeof(number)); };
  add(static_cast<uint64_t>(record.size()));
  add(masked_crc32c(frame));
  frame.append(record);
  add(masked_crc32c(record));
  return frame;
}

std::vector<Place> list_tfrecords(const PosixFile& file, bool check_crc) {
  std::vector<Place> places;
  Window window(file);
  for (int64_t at = 0; at < file.size();) {
    const int64_t rest = file.size() - at - kFrame;
    const std::string_view head = rest >= 0 ? window.at(at, kHead) : std::string_view();
    const uint64_t length = rest >= 0 ? number_at<uint64_t>(head, 0) : 0;
    PENSTOCK_CHECK(rest >= 0 && length <= static_cast<uint64_t>(rest), DataError,
                   "no whole record at byte {} of {}: the file was cut off, or is no TFRecord file (compressed ones "
                   "must be unpacked first)",
                   at, file.size());
    PENSTOCK_CHECK(!check_crc || crc_fits(head.substr(0, kLength), head.substr(kLength)), DataError,
                   "the checksum of the record's length at byte {} is wrong: the file is damaged, or is no TFRecord "
                   "file",
                   at);
    places.push_back({at, static_cast<int64_t>(length) + kFrame});
    at += places.back().size;
  }
  return places;
}

std::string_view unframe(std::string_view frame, bool check_crc) {
  const auto size = static_cast<int64_t>(frame.size());
  const uint64_t length = size >= kFrame ? number_at<uint64_t>(frame, 0) : 0;
  PENSTOCK_CHECK(
      size >= kFrame && length == static_cast<uint64_t>(size - kFrame), DataError,
      "Error while parsing TFRecord file (record payload length: {} bytes, available payload: {} bytes): the "
      "file is damaged, or its index is that of another file",
      length, std::max<int64_t>(size - kFrame, 0));
  const std::string_view record = frame.substr(kHead, length);
  PENSTOCK_CHECK(!check_crc || (crc_fits(frame.substr(0, kLength), frame.substr(kLength)) &&
                                crc_fits(record, frame.substr(kHead + length))),
                 DataError, "the record's checksum is wrong: the file is damaged");
  return record;
}

std::vector<Place> parse_tfrecord_index(std::string_view text) {
  std::vector<Place> places;
  places.reserve(most_index_lines(text));
  for_each_index_line(text, [&](std::string_view line, int64_t number) {
    const std::string_view whole = line;
    Place place;
    PENSTOCK_CHECK(take_number(line, place.begin) && take_number(line, place.size) && is_end(line), DataError,
                   "line {} of the index is not \"offset size\": {}", number, whole.substr(0, 100));
    places.push_back(place);
  });
  PENSTOCK_CHECK(!places.empty(), DataError, "Content of index files should not be empty");
  return places;
}

std::string write_tfrecord_index(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) fmt::format_to(std::back_inserter(text), "{} {}\n", place.begin, place.size);
  return text;
}

}  // namespace penstock

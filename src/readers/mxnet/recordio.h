// MXNet's RecordIO: records in parts, each with a magic number, its length and its place in the record.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "readers/records/record_file.h"

namespace penstock {

/// The records of a RecordIO file, found by reading the heads of all parts. @throws DataError
std::vector<Place> list_recordio(const PosixFile& file);

/// An index: a line "key offset" for each record; records come in the order of their offsets, and end where the next
/// one begins. @throws DataError that names the line
std::vector<Place> parse_recordio_index(std::string_view text, int64_t file_size);

/// The record that begins with these bytes. One of several parts is put together in room(n), n bytes of memory.
/// @throws DataError
std::string_view join_parts(std::string_view bytes, const std::function<char*(size_t)>& room);

/// A record of MXNet's pictures.
struct ImageRecord {
  float label = 0;          ///< the only one where `labels` is empty
  std::string_view labels;  ///< floats, at any address
  std::string_view image;
};
/// @throws DataError
ImageRecord parse_image_record(std::string_view record);

}  // namespace penstock

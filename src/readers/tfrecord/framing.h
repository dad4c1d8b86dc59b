// How TFRecord files hold records: length (8 bytes), its checksum (4), the record, its checksum (4).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "readers/records/record_file.h"

namespace penstock {

/// The records of a TFRecord file with their frames, found by reading the lengths alone.
/// @param check_crc also checks the lengths' checksums
/// @throws DataError for a file that is cut off, or is none
std::vector<Place> list_tfrecords(const PosixFile& file, bool check_crc);

/// A record in its frame.
std::string tfrecord_frame(std::string_view record);

/// The record in a frame. @throws DataError when the frame has another length than it says, or a checksum is wrong
std::string_view unframe(std::string_view frame, bool check_crc);

/// An index: a line "offset size" for each record, frame included. @throws DataError that names the line
std::vector<Place> parse_tfrecord_index(std::string_view text);
std::string write_tfrecord_index(const std::vector<Place>& places);

}  // namespace penstock

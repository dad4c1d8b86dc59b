// Caffe's Datum: the records of its databases.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace penstock {

struct Datum {
  int32_t channels = 0, height = 0, width = 0;
  std::string_view data;  ///< view into the record
  std::optional<int32_t> label;
  bool raw = false;  ///< said to be pixels, not an encoded file
};

/// @throws DataError for what is no Datum message
Datum parse_datum(std::string_view record);

}  // namespace penstock

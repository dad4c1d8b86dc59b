// NeMo's manifests of speech: JSON objects one after the other, as a rule one in each line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock::nemo {

struct Entry {
  std::string path, text;
  double offset = 0;     ///< where the speech begins in the file, in seconds
  double duration = -1;  ///< in seconds; negative where the line tells none
  int64_t line = 0;      ///< where the entry begins, counted from 1
};

/// @throws DataError that names the line: for what is no JSON object, without `audio_filepath`, or with values that
/// cannot be true
std::vector<Entry> parse_manifest(std::string text);

}  // namespace penstock::nemo

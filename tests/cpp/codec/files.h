// The files of corner cases that tools/golden/make_images.py makes.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests_folder.h"

namespace penstock::codec {

inline std::filesystem::path image_folder() { return tests_folder() / "data" / "images"; }

inline std::vector<uint8_t> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<uint8_t> image_file(const std::string& name) { return read_file(image_folder() / name); }

/// Names of all pictures, sorted; those with the truth left out.
inline std::vector<std::string> image_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(image_folder()))
    if (entry.path().extension() != ".truth") names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace penstock::codec

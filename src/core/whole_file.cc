#include "core/whole_file.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace penstock {

std::string name_beside(const std::string& path) {
  uint64_t drawn = 0;
  if (::getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
    throw std::system_error(errno, std::generic_category(), "getrandom");
  return fmt::format("{}.{:016x}.part", path, drawn);
}

int write_whole_file(const std::string& path, std::initializer_list<std::string_view> parts) {
  const std::string beside = name_beside(path);
  errno = 0;
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  for (const std::string_view part : parts) file << part;
  file.close();
  if (file && std::rename(beside.c_str(), path.c_str()) == 0) return 0;
  const int error = errno != 0 ? errno : EIO;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return error;
}

}  // namespace penstock

// A file in the process's address space.
#pragma once

#include <string_view>
#include <utility>

#include "readers/file/posix_file.h"

namespace penstock {

/// Maps a whole file, for reading; no page of it counts as the process's memory until it is touched.
class Mapping {
 public:
  Mapping() = default;
  /// Empty where the file cannot be mapped: file systems need not offer it, and a process has so many mappings at most.
  explicit Mapping(const PosixFile& file) noexcept;
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace penstock

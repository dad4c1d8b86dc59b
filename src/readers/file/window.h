// Short pieces of a file, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "readers/file/posix_file.h"

namespace penstock {

/// Reads a piece at a time: of small records many together, of large ones no more than their heads.
class Window {
 public:
  explicit Window(const PosixFile& file) : file_(file) {}
  int64_t file_size() const { return file_.size(); }
  /// Valid until the next call. Fewer bytes at the end of the file. @throws DataError
  std::string_view at(int64_t begin, int64_t size) {
    const int64_t held = static_cast<int64_t>(bytes_.size());
    if (begin < begin_ || begin - begin_ > held || size > held - (begin - begin_)) {
      const int64_t rest = std::max<int64_t>(file_.size() - begin, 0);
      bytes_.resize(static_cast<size_t>(std::min(std::max(file_.piece(), size), rest)));
      file_.read(std::as_writable_bytes(std::span(bytes_)), begin);
      begin_ = begin;
    }
    return std::string_view(bytes_).substr(static_cast<size_t>(begin - begin_), static_cast<size_t>(size));
  }

 private:
  const PosixFile& file_;
  std::string bytes_;
  int64_t begin_ = 0;
};

}  // namespace penstock

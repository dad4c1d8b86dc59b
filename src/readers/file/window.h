// Short pieces of a file, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "readers/file/posix_file.h"

namespace penstock {

/// Reads a piece at a time: of small records many together, of large ones no more than their heads. Of files on servers
/// pieces grow while one follows the other, and begin small behind a record that was passed over.
class Window {
 public:
  explicit Window(const PosixFile& file) : file_(file) {}
  int64_t file_size() const { return file_.size(); }
  /// Valid until the next call. Fewer bytes at the end of the file. @throws DataError
  std::string_view at(int64_t begin, int64_t size) {
    const int64_t held = static_cast<int64_t>(bytes_.size());
    if (begin < begin_ || begin - begin_ > held || size > held - (begin - begin_)) {
      const int64_t rest = std::max<int64_t>(file_.size() - begin, 0);
      piece_ = begin - begin_ - held < kPassed ? std::min(4 * piece_, file_.piece()) : std::min(kHeads, file_.piece());
      bytes_.resize(static_cast<size_t>(std::min(std::max(piece_, size), rest)));
      file_.read(std::as_writable_bytes(std::span(bytes_)), begin);
      begin_ = begin;
    }
    return std::string_view(bytes_).substr(static_cast<size_t>(begin - begin_), static_cast<size_t>(size));
  }

 private:
  // A request takes about as long as these bytes, which are passed over, or come with a head.
  static constexpr int64_t kPassed = int64_t{1} << 20, kHeads = int64_t{64} << 10;
  const PosixFile& file_;
  std::string bytes_;
  int64_t begin_ = 0;
  int64_t piece_ = kHeads / 4;  // the latest
};

}  // namespace penstock

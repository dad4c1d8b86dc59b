// A mapped file that takes a bounded part of the process's memory.
#pragma once

#include <cstddef>
#include <string_view>

#include "readers/file/posix_file.h"

namespace penstock {

/// The file of an LMDB environment, which LMDB maps as a whole. Its front is read in place; what lies behind is copied
/// out of the file, because each page that is touched in the mapping counts as the process's memory from then on: it
/// would grow to the size of the data set. A copy costs 0.8 us more than reading a digit of MNIST in place.
class PartialMap {
 public:
  PartialMap() = default;
  /// `fd` is the file's, `in_page` any address in a page of the mapping, `size` the file's and `front` what is read in
  /// place. Where the pages are not laid out as LMDB 0.9 does it, all is.
  PartialMap(int fd, const void* in_page, size_t page_size, size_t size, size_t front);

  bool in_place(std::string_view bytes) const { return bytes.data() + bytes.size() <= front_end_; }
  /// The bytes that lie there in the mapping; `room(n)` gives n bytes of memory for a copy.
  /// @throws DataError when they cannot be read
  template <class Room>
  std::string_view read(std::string_view bytes, Room&& room) const {
    if (in_place(bytes)) return bytes;
    char* copy = room(bytes.size());
    copy_to(copy, bytes);
    return {copy, bytes.size()};
  }
  /// Brings bytes of the mapping into the system's memory and waits for the last.
  void will_need(std::string_view bytes) const noexcept;

  /// For going through the mapping's pages: lets go of those behind the front, 2 MB after the visit.
  class Walk {
   public:
    explicit Walk(const PartialMap& map) : map_(map), since_(map.front_end_) {}
    ~Walk() { map_.let_go(since_, map_.end_); }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;
    void visit(const char* place);

   private:
    const PartialMap& map_;
    const char* since_;
  };

 private:
  void copy_to(char* copy, std::string_view bytes) const;
  void let_go(const char* begin, const char* end) const noexcept;
  PosixFile file_;
  const char* begin_ = nullptr;  // of the mapping
  const char* end_ = nullptr;
  const char* front_end_ = nullptr;
};

}  // namespace penstock

// A mapped file that takes a bounded part of what counts as the process's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "device/pinnable.h"
#include "readers/file/posix_file.h"

namespace penstock {

/// What `dont_use_mmap` means to readers of records.
inline constexpr std::string_view kDontUseMmap =
    "Copy all records out of the file. Otherwise records of 16 KB and more are read where the system has them in "
    "memory, in as much of the data set as a quarter of the machine's memory holds (or of the container's), and "
    "smaller "
    "ones in its first 40 MB: quicker, but it counts as memory of the process (the system takes it back when it needs "
    "it, but for what it pins for GPUs, which copy large JPEG files from where they lie), and a disk or server that "
    "fails under it ends the process, as with any mapped file.";

/// What of mapped files is read where it lies. All else is copied, because each page that is touched in a mapping
/// counts as the process's memory from then on, until the system needs it for something else.
struct InPlace {
  /// A record of so many bytes is large: a copy of 112 KB takes 14 us, as much as all else that the host does for such
  /// a picture where a GPU decodes it. One of a digit of MNIST takes 0.8 us.
  static constexpr size_t kLarge = size_t{16} << 10;
  size_t front;        ///< so many bytes at the beginning, whatever lies there
  size_t large_front;  ///< likewise of large records

  /// What spares small data sets a copy, and large records one where they may well stay in the system's cache: in a
  /// quarter of the memory that the process may use.
  static InPlace usual();
};

/// Brings these bytes of a mapped file into memory, and no more of it: a page fault alone reads as much around it as
/// the disk's read-ahead says, 8 MB on some. Waits for the last of them.
void bring_in(std::string_view mapped) noexcept;

/// A file that is mapped as a whole.
class PartialMap {
 public:
  PartialMap() = default;
  /// The mapping of `file` begins at `begin` and has `size` bytes. Where it is not known where it begins (null), all is
  /// read in place.
  PartialMap(PosixFile file, const char* begin, size_t size, InPlace in_place);

  /// Whether these bytes of a record of `size` are read in place.
  bool in_place(std::string_view bytes, size_t size) const {
    return bytes.data() + bytes.size() <= (size < InPlace::kLarge ? front_end_ : large_front_end_);
  }
  /// Those bytes, which lie there in the mapping; `room(n)` gives n bytes of memory for a copy.
  /// @throws DataError when they cannot be read
  template <class Room>
  std::string_view read(std::string_view bytes, size_t size, Room&& room) const {
    if (in_place(bytes, size)) {
      bytes.size() >= kChecked ? check_whole() : check_whole_once_a_tick();
      return bytes;
    }
    char* copy = room(bytes.size());
    copy_to(copy, bytes);
    return {copy, bytes.size()};
  }
  /// What is read in place, for GPUs to copy from it; null where nothing is.
  device::Pinnable* pinnable() const { return pinnable_.get(); }
  /// Brings a record in the mapping into the system's memory and waits for the last of it.
  void will_need(std::string_view record) const noexcept;

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
  /// Each record of so many bytes is preceded by a look at the file's size. A smaller one costs less than the look.
  static constexpr size_t kChecked = 1 << 10;

  /// Whether the file has become shorter: the system ends a process that touches a page behind its end (SIGBUS). To
  /// ask takes 0.5 us, of some 20 for a large record.
  bool shrank() const noexcept;
  /// @throws DataError
  void check_whole() const;
  /// Likewise, unless it was found whole in this tick of the system's clock, which takes 1 to 10 ms.
  void check_whole_once_a_tick() const;
  void copy_to(char* copy, std::string_view bytes) const;
  void let_go(const char* begin, const char* end) const noexcept;
  PosixFile file_;
  mutable int64_t tick_ = 0;     // when it was found whole
  const char* begin_ = nullptr;  // of the mapping
  const char* end_ = nullptr;
  const char* front_end_ = nullptr;
  const char* large_front_end_ = nullptr;
  std::unique_ptr<device::Pinnable> pinnable_;
};

}  // namespace penstock

// One libjpeg decompressor over bytes in memory, with limits; made to be used for many pictures.
#pragma once

#include <cstdint>
#include <span>

#include "codec/jpeg/turbo/guard.h"

namespace penstock::codec::jpeg {

class Reader {
 public:
  Reader();
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Ends what was begun before and takes the next picture's bytes, which must stay until the work is done.
  void take(std::span<const uint8_t> bytes);
  jpeg_decompress_struct& state() { return state_; }
  /// Runs calls of libjpeg. @throws DataError with what libjpeg said
  template <class Work>
  void run(const Work& work) {
    if (!guard_.run(work)) raise();
  }

 private:
  [[noreturn]] void raise() const;

  Guard guard_;
  jpeg_source_mgr source_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct state_{};
};

}  // namespace penstock::codec::jpeg

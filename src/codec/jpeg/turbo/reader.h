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

  /// Takes the next picture's bytes, which must stay until the work is done.
  void take(std::span<const uint8_t> bytes);
  jpeg_decompress_struct& state() { return state_; }
  /// Runs the calls of libjpeg that decode the picture, then ends its work on it.
  /// @throws DataError with what libjpeg said
  template <class Work>
  void run(const Work& work) {
    const bool done = guard_.run(work);
    jpeg_abort_decompress(&state_);  // gives back what the picture took
    if (!done) raise();
  }

 private:
  [[noreturn]] void raise() const;

  Guard guard_;
  jpeg_source_mgr source_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct state_{};
};

}  // namespace penstock::codec::jpeg

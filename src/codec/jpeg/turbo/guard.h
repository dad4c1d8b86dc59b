// libjpeg's error manager over an Escape.
#pragma once

#include <cstddef>
#include <cstdio>
// jpeglib.h needs size_t and FILE declared.
#include <jpeglib.h>

#include "codec/escape.h"

namespace penstock::codec::jpeg {

/// Keeps libjpeg's message and jumps. Its address must not change while libjpeg holds it.
class Guard {
 public:
  Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// What libjpeg takes.
  jpeg_error_mgr* manager() { return &manager_.base; }
  /// Runs calls of libjpeg; see Escape::run.
  template <class Work>
  bool run(const Work& work) {
    return manager_.escape.run(work);
  }
  /// For callbacks: ends the work with that message, as libjpeg's own errors do.
  [[noreturn]] static void give_up(j_common_ptr state, const char* message) { of(state).escape.leave(message); }
  /// What libjpeg said.
  const char* message() const { return manager_.escape.message(); }

 private:
  struct Manager {
    jpeg_error_mgr base;  // first, so that libjpeg's pointer is a pointer to this
    Escape escape;
  };
  static Manager& of(j_common_ptr state) { return *reinterpret_cast<Manager*>(state->err); }

  Manager manager_{};
};

}  // namespace penstock::codec::jpeg

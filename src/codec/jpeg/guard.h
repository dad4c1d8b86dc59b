// libjpeg reports errors by a function that must not return. Throwing through C code is not allowed, so the way out is
// longjmp to a frame of ours, from where the exception is thrown.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdio>
// jpeglib.h needs size_t and FILE declared.
#include <jpeglib.h>

#include <array>

namespace penstock::codec::jpeg {

/// An error manager that keeps the message and jumps. Its address must not change while libjpeg holds it.
class Guard {
 public:
  Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// What libjpeg takes.
  jpeg_error_mgr* manager() { return &manager_.base; }
  /// Runs `work`, which calls libjpeg. False when libjpeg gave up.
  /// Hazard: neither `work` nor what it calls may own anything that a destructor gives back, since a jump skips it.
  template <class Work>
  [[gnu::noinline]] bool run(const Work& work) {
    if (setjmp(manager_.escape) != 0) return false;
    work();
    return true;
  }
  /// For callbacks: ends the work with that message, as libjpeg's own errors do.
  [[noreturn]] static void give_up(j_common_ptr state, const char* message);
  /// What libjpeg said.
  const char* message() const { return manager_.message.data(); }

 private:
  struct Manager {
    jpeg_error_mgr base;  // first, so that libjpeg's pointer is a pointer to this
    std::jmp_buf escape;
    std::array<char, JMSG_LENGTH_MAX> message;
  };
  static Manager& of(j_common_ptr state) { return *reinterpret_cast<Manager*>(state->err); }

  Manager manager_{};
};

}  // namespace penstock::codec::jpeg

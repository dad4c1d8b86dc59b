// libjpeg and libpng report errors through a function that must not return. Throwing through C code is not allowed, so
// the way out is longjmp to a frame of ours, from where an exception is thrown.
#pragma once

#include <array>
#include <csetjmp>
#include <cstring>

namespace penstock::codec {

class Escape {
 public:
  /// Runs `work`, which calls the library. False when leave() was called on the way.
  /// Hazard: neither `work` nor what it calls may own anything that a destructor gives back, since a jump skips it.
  template <class Work>
  [[gnu::noinline]] bool run(const Work& work) {
    if (setjmp(frame_) != 0) return false;
    work();
    return true;
  }
  /// Ends the work in progress with that message.
  [[noreturn]] void leave(const char* message) {
    std::strncpy(message_.data(), message, message_.size() - 1);
    std::longjmp(frame_, 1);
  }
  const char* message() const { return message_.data(); }

 private:
  std::jmp_buf frame_;
  std::array<char, 256> message_{};
};

}  // namespace penstock::codec

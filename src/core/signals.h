// Threads of the library and the signals of the program.
#pragma once

#include <signal.h>

namespace penstock {

/// Signals (Ctrl-C above all) belong to the threads of the program, never to a worker: threads that are started while
/// this lives get none.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace penstock

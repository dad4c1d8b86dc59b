// A semaphore of the C library: whoever waits holds no mutex that those who wake him contend for. (libstdc++'s own may
// sleep for ever before GCC 13, bug 104928.)
#pragma once

#include <semaphore.h>

#include <cerrno>

namespace penstock {

class Semaphore {
 public:
  Semaphore() { sem_init(&semaphore_, 0, 0); }
  ~Semaphore() { sem_destroy(&semaphore_); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void release() { sem_post(&semaphore_); }
  /// Waits for one release() that nobody else has waited for.
  void acquire() {
    while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
  }

 private:
  sem_t semaphore_;
};

}  // namespace penstock

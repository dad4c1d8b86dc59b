// A semaphore of the C library: a thread that waits holds no mutex for which the threads that wake it contend.
// (libstdc++'s own may sleep for ever before GCC 13, bug 104928.)
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
  /// Waits for one release() that no other acquire() has used.
  void acquire() {
    while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
  }

 private:
  sem_t semaphore_;
};

}  // namespace penstock

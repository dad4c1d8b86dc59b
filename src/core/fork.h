// Locks of things that a whole process shares, and a fork: a child has only the thread that forked, so a lock that
// another one holds at that moment would never be free there.
#pragma once

#include <pthread.h>

namespace penstock {

/// The thread that forks holds the lock that `lock_of()` gives during the fork. To be called as the library is loaded:
/// a thread that registered it at first use might be in the middle of that while another one forks. `lock_of` has no
/// captures: the system takes plain functions.
template <class LockOf>
void hold_over_forks([[maybe_unused]] LockOf lock_of) {
  ::pthread_atfork([] { LockOf{}().lock(); }, [] { LockOf{}().unlock(); }, [] { LockOf{}().unlock(); });
}

}  // namespace penstock

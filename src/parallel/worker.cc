#include "parallel/worker.h"

#include <pthread.h>

#include "core/signals.h"

namespace penstock::parallel {

Worker::Worker(const std::string& name, std::function<void()> begin) {
  tasks_.push_back(std::move(begin));
  const SignalsBlocked inherited_by_the_thread;
  thread_ = std::thread([this] { work(); });
  constexpr size_t kLongestName = 15;  // Linux refuses longer ones
  pthread_setname_np(thread_.native_handle(), name.substr(0, kLongestName).c_str());
}

Worker::~Worker() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Worker::post(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace penstock::parallel

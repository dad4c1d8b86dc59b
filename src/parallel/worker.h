// A thread that serves one device for as long as its group lives.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace penstock::parallel {

class Worker {
 public:
  /// `name` is what tools that list threads show; `begin` is the first that the thread does. Neither it nor tasks
  /// throw.
  Worker(const std::string& name, std::function<void()> begin);
  /// Does what was posted, then joins.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Tasks are done in the order in which they are posted.
  void post(std::function<void()> task);
  bool is_calling_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  void work();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace penstock::parallel

#include "core/worker_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>

#include "core/cores.h"

namespace penstock {
namespace {

/// Signals (Ctrl-C above all) belong to the threads of the program, never to a worker.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

WorkerPool::WorkerPool(int threads) {
  const SignalsBlocked inherited_by_workers;
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { work(); });
    pthread_setname_np(threads_.back().native_handle(), "penstock");
  }
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<WorkerPool> WorkerPool::process() {
  static std::mutex mutex;
  static std::weak_ptr<WorkerPool> shared;
  std::lock_guard lock(mutex);
  auto pool = shared.lock();
  if (!pool) shared = pool = std::make_shared<WorkerPool>(usable_cores());
  return pool;
}

void WorkerPool::submit(std::shared_ptr<Job> job) {
  const int parts = (job->count + job->chunk - 1) / job->chunk;
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  if (parts == 1) {
    wake_.notify_one();
  } else {
    wake_.notify_all();
  }
}

std::shared_ptr<Job> WorkerPool::claim(int& begin, int& end) {
  for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
    Job& job = **it;
    if (job.max_workers && job.active_ >= job.max_workers) continue;
    begin = job.next_;
    end = job.next_ = std::min(job.count, begin + job.chunk);
    ++job.active_;
    auto claimed = *it;
    if (end == job.count) jobs_.erase(it);
    return claimed;
  }
  return nullptr;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    int begin = 0, end = 0;
    std::shared_ptr<Job> job;
    wake_.wait(lock, [&] { return stop_ || (job = claim(begin, end)); });
    if (!job) return;
    lock.unlock();
    job->run(begin, end);
    lock.lock();
    job->finished_ += end - begin;
    const bool freed_a_place = job->max_workers && job->active_-- == job->max_workers;
    const bool complete = job->finished_ == job->count;
    if (freed_a_place) wake_.notify_one();
    lock.unlock();
    if (complete) job->done();
    job.reset();  // may end a pipeline's life: never under the lock
    lock.lock();
    if (stop_) return;
  }
}

}  // namespace penstock

#include "core/worker_pool.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>

#include "core/cores.h"
#include "core/signals.h"

namespace penstock {
namespace {

// 2, 8, 16 and 32 threads brought 5,300, 7,500, 9,200 and 7,800 files of 110 KB a second from a virtual disk into
// memory (two cores). From a server, where each file waits for two round trips, the rate is proportional.
constexpr int kIoThreads = 16;
// All workers of a pool may look at a time.
constexpr auto kPatience = std::chrono::microseconds(200);

thread_local bool is_worker = false;

/// A pool that exists while somebody holds it.
class SharedPool {
 public:
  std::shared_ptr<WorkerPool> get(int threads, const char* name) {
    std::lock_guard lock(mutex_);
    auto pool = pool_.lock();
    if (!pool || pool->is_of_parent()) pool_ = pool = std::shared_ptr<WorkerPool>(new WorkerPool(threads, name), end);
    return pool;
  }

 private:
  /// A parent's pool stays: its threads can be neither joined nor let go of, and its condition waits for them for ever.
  static void end(WorkerPool* pool) {
    if (!pool->is_of_parent()) delete pool;
  }
  std::mutex mutex_;
  std::weak_ptr<WorkerPool> pool_;
};

}  // namespace

WorkerPool::WorkerPool(int threads, const char* name) : cores_(usable_cores()), process_(getpid()) {
  const SignalsBlocked inherited_by_workers;
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { work(); });
    pthread_setname_np(threads_.back().native_handle(), name);
  }
}

bool WorkerPool::on_worker() { return is_worker; }

bool WorkerPool::is_of_parent() const { return getpid() != process_; }

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    ++news_;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<WorkerPool> WorkerPool::process() {
  static SharedPool shared;
  return shared.get(usable_cores(), "penstock");
}

std::shared_ptr<WorkerPool> WorkerPool::io() {
  static SharedPool shared;
  return shared.get(kIoThreads, "penstock-io");
}

void WorkerPool::submit(std::shared_ptr<Job> job) {
  std::unique_lock lock(mutex_);
  jobs_.push_back(std::move(job));
  ++news_;
  // Threads that wake for nothing cost those with work their time: they contend for the lock. Those that look or were
  // woken will take what waits already, so all jobs count: a job that blocks must not keep the next one waiting.
  int needed = std::clamp(useful() - looking_ - woken_, 0, asleep_ - woken_);
  woken_ += needed;
  const bool all = needed > 0 && woken_ == asleep_;
  lock.unlock();
  if (all) {
    wake_.notify_all();
  } else {
    for (; needed > 0; --needed) wake_.notify_one();
  }
}

int WorkerPool::useful() const {
  int sum = 0;
  for (const std::shared_ptr<Job>& job : jobs_) {
    const int chunks = (job->count - job->next_ + job->chunk - 1) / job->chunk;
    sum += std::min({chunks, job->max_workers ? job->max_workers - job->active_ : chunks, threads()});
  }
  return sum;
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

std::shared_ptr<Job> WorkerPool::await(std::unique_lock<std::mutex>& lock, Patience& patience, int& begin, int& end) {
  std::shared_ptr<Job> job = claim(begin, end);
  if (job || stop_) return job;
  const uint64_t seen = news_;
  ++looking_;
  lock.unlock();
  const auto began = Patience::Clock::now();
  patience.look(began, [&] { return news_ != seen; });
  lock.lock();
  --looking_;
  while (!stop_ && !(job = claim(begin, end))) {
    ++asleep_;
    wake_.wait(lock);
    --asleep_;
    woken_ = std::max(0, woken_ - 1);
  }
  patience.ended(began);
  return job;
}

void WorkerPool::work() {
  is_worker = true;
  Patience patience(kPatience, cores_);
  std::unique_lock lock(mutex_);
  for (;;) {
    int begin = 0, end = 0;
    std::shared_ptr<Job> job = await(lock, patience, begin, end);
    if (!job) return;
    lock.unlock();
    job->run(begin, end);
    lock.lock();
    job->finished_ += end - begin;
    const bool freed_a_place = job->max_workers && job->active_-- == job->max_workers;
    const bool complete = job->finished_ == job->count;
    if (freed_a_place) {
      ++news_;
      woken_ += asleep_ > woken_;
      wake_.notify_one();
    }
    lock.unlock();
    if (complete) job->done();
    job.reset();  // may end a pipeline's life: never under the lock
    lock.lock();
    if (stop_) return;
  }
}

}  // namespace penstock

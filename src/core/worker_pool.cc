#include "core/worker_pool.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <utility>

#include "core/cores.h"
#include "core/signals.h"

namespace penstock {
namespace {

// 2, 8, 16 and 32 threads brought 5,300, 7,500, 9,200 and 7,800 files of 110 KB a second from a virtual disk into
// memory (two cores). From a server, where each file waits for two round trips, the rate is proportional.
constexpr int kIoThreads = 16;
// How long a worker looks, and how many do so at a time. Eight files come in 0.32 ms where four workers look for up to
// a millisecond, in 0.36 where all do for 0.2. Where the GPU is what limits, a picture takes 57 us of CPU time where
// all look, 52 with four and 48 with two; yet with two, 200 digits take a tenth longer.
constexpr auto kPatience = std::chrono::microseconds(1000);
constexpr int kMostLooking = 4;

thread_local bool is_worker = false;

/// Makes the calling thread a worker for as long as this lives. All of them compute alike: a thread has the rounding
/// and the treatment of subnormals of who started it, which a program may have changed.
class AsWorker {
 public:
  AsWorker() : was_worker_(std::exchange(is_worker, true)) {
    std::fegetenv(&floats_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~AsWorker() {
    std::fesetenv(&floats_);
    is_worker = was_worker_;
  }
  AsWorker(const AsWorker&) = delete;
  AsWorker& operator=(const AsWorker&) = delete;

 private:
  const bool was_worker_;
  std::fenv_t floats_{};
};

/// A pool that exists while somebody holds it.
class SharedPool {
 public:
  std::shared_ptr<WorkerPool> get(int threads, const char* name, const NumaNodes& nodes) {
    std::lock_guard lock(mutex_);
    auto pool = pool_.lock();
    if (!pool || pool->is_of_parent())
      pool_ = pool = std::shared_ptr<WorkerPool>(new WorkerPool(threads, name, nodes), end);
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

WorkerPool::WorkerPool(int threads, const char* name, const NumaNodes& nodes)
    : size_(threads), cores_(usable_cores()), process_(getpid()) {
  if (nodes.size() <= kMostGroups) {
    for (const auto& [node, cores] : nodes) {
      Group& group = groups_.emplace_back();
      group.node = node;
      group.cores = cores;
    }
  }
  if (groups_.empty()) groups_.emplace_back();
  const SignalsBlocked inherited_by_workers;
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this, &mine = group_of(i)] { work(mine); });
    pthread_setname_np(threads_.back().native_handle(), name);
  }
}

/// Thread i goes where core i is, when cores are counted node by node, one of each in turn.
WorkerPool::Group& WorkerPool::group_of(int thread) {
  std::vector<Group*> places;
  for (size_t turn = 0, before = ~size_t{0}; before != places.size(); ++turn) {
    before = places.size();
    for (Group& group : groups_)
      if (turn < group.cores.size()) places.push_back(&group);
  }
  return places.empty() ? groups_.front() : *places[static_cast<size_t>(thread) % places.size()];
}

bool WorkerPool::on_worker() { return is_worker; }

bool WorkerPool::is_of_parent() const { return getpid() != process_; }

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    ++news_;
  }
  for (Group& group : groups_) group.wake.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<WorkerPool> WorkerPool::process() {
  static SharedPool shared;
  return shared.get(usable_cores(), "penstock", numa_nodes());
}

std::shared_ptr<WorkerPool> WorkerPool::io() {
  static SharedPool shared;
  return shared.get(kIoThreads, "penstock-io", {});
}

void WorkerPool::submit(std::shared_ptr<Job> job) {
  std::unique_lock lock(mutex_);
  const int node = job->node;
  jobs_.insert(job->first ? jobs_.begin() : jobs_.end(), std::move(job));
  ++news_;
  const Wakes wakes = choose(missing(), node);
  lock.unlock();
  tell(wakes);
}

WorkerPool::Wakes WorkerPool::choose(int needed, int node) {
  Wakes wakes{};
  for (const bool near : {true, false}) {
    for (size_t i = 0; i < groups_.size(); ++i) {
      Group& group = groups_[i];
      if ((group.node == node) != near) continue;
      const int some = std::clamp(needed, 0, group.asleep - group.woken);
      group.woken += some;
      needed -= some;
      wakes[i] = some > 1 && group.woken == group.asleep ? kAll : some;
    }
  }
  return wakes;
}

void WorkerPool::tell(const Wakes& wakes) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (wakes[i] == kAll) groups_[i].wake.notify_all();
    for (int left = wakes[i]; left > 0; --left) groups_[i].wake.notify_one();
  }
}

std::shared_ptr<void> WorkerPool::leave_cores(int count) {
  const std::lock_guard lock(mutex_);
  const auto place = left_.insert(count);
  return {this, [place](WorkerPool* pool) { pool->take_cores_back(place); }};
}

void WorkerPool::take_cores_back(std::multiset<int>::const_iterator place) {
  if (is_of_parent()) return;
  std::unique_lock lock(mutex_);
  left_.erase(place);
  ++news_;
  const Wakes wakes = choose(missing(), kAnyNode);
  lock.unlock();
  tell(wakes);
}

bool WorkerPool::has_room(const Job& job) const {
  return at_work_ < most_at_work() && (!job.crew || job.crew->active_ < job.crew->most);
}

int WorkerPool::useful(int returning) {
  for (const std::shared_ptr<Job>& job : jobs_)
    if (job->crew) job->crew->wanted_ = 0;
  int sum = 0;
  for (const std::shared_ptr<Job>& job : jobs_) {
    int some = std::min((job->count - job->next_ + job->chunk - 1) / job->chunk, threads());
    if (Crew* crew = job->crew.get()) {
      some = std::clamp(crew->most - crew->active_ - crew->wanted_, 0, some);
      crew->wanted_ += some;
    }
    sum += some;
  }
  return std::clamp(most_at_work() - at_work_ + returning, 0, sum);
}

// Threads that wake for nothing cost those with work their time: they contend for the lock. Those that look or were
// woken will take what waits already, so all jobs count: a job that blocks must not keep the next one waiting.
int WorkerPool::missing(int returning) {
  int missing = useful(returning) - returning - looking_;
  for (const Group& group : groups_) missing -= group.woken;
  return missing;
}

std::shared_ptr<Job> WorkerPool::claim(int node, int& begin, int& end) {
  const auto own = [&](const std::shared_ptr<Job>& job) {
    return (job->node == kAnyNode || job->node == node) && has_room(*job);
  };
  auto it = std::find_if(jobs_.begin(), jobs_.end(), own);
  if (it == jobs_.end()) it = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return has_room(*job); });
  return it == jobs_.end() ? nullptr : take(it, begin, end);
}

std::shared_ptr<Job> WorkerPool::take(Jobs::iterator it, int& begin, int& end) {
  Job& job = **it;
  begin = job.next_;
  end = job.next_ = std::min(job.count, begin + job.chunk);
  if (job.crew) ++job.crew->active_;
  auto claimed = *it;
  if (end == job.count) jobs_.erase(it);
  return claimed;
}

std::shared_ptr<Job> WorkerPool::await(Group& mine, std::unique_lock<std::mutex>& lock, Patience& patience, int& begin,
                                       int& end) {
  std::shared_ptr<Job> job = claim(mine.node, begin, end);
  if (job || stop_) return job;
  const uint64_t seen = news_;
  const auto began = Patience::Clock::now();
  // Where cores are left to others, who looks would take them, too.
  if (looking_ < kMostLooking && at_work_ + looking_ < most_at_work()) {
    ++looking_;
    lock.unlock();
    patience.look(began, [&] { return news_ != seen; });
    lock.lock();
    --looking_;
  }
  while (!stop_ && !(job = claim(mine.node, begin, end))) {
    ++mine.asleep;
    mine.wake.wait(lock);
    --mine.asleep;
    mine.woken = std::max(0, mine.woken - 1);
  }
  patience.ended(began);
  return job;
}

void WorkerPool::work(Group& mine) {
  const AsWorker ever;
  if (!mine.cores.empty()) bind_to(mine.cores);
  Patience patience(kPatience, cores_);
  std::unique_lock lock(mutex_);
  for (;;) {
    int begin = 0, end = 0;
    std::shared_ptr<Job> job = await(mine, lock, patience, begin, end);
    if (!job) return;
    ++at_work_;
    perform(std::move(job), begin, end, true, lock);
    if (at_work_-- == most_at_work()) ++news_;
    if (stop_) return;
  }
}

void WorkerPool::perform(std::shared_ptr<Job> job, int begin, int end, bool comes_back,
                         std::unique_lock<std::mutex>& lock) noexcept {
  lock.unlock();
  job->run(begin, end);
  lock.lock();
  job->finished_ += end - begin;
  const bool complete = job->finished_ == job->count;
  Wakes wakes{};
  if (job->crew) {
    if (job->crew->active_-- == job->crew->most) ++news_;
    wakes = choose(missing(comes_back && !complete ? 1 : 0), job->node);
  }
  lock.unlock();
  tell(wakes);
  if (complete) job->done();
  job.reset();  // may end a pipeline's life: never under the lock
  lock.lock();
}

bool WorkerPool::help(const std::shared_ptr<Job>& job) {
  if (is_of_parent()) return false;
  std::unique_lock lock(mutex_);
  const auto it = std::find(jobs_.begin(), jobs_.end(), job);
  const bool asleep = std::any_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.asleep > 0; });
  // Where all are at work they have the cores; who looks is about to begin.
  if (it == jobs_.end() || !has_room(*job) || !asleep || looking_ > 0) return false;
  int begin = 0, end = 0;
  auto taken = take(it, begin, end);
  const AsWorker now;
  perform(std::move(taken), begin, end, false, lock);
  return true;
}

}  // namespace penstock

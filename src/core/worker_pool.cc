#include "core/worker_pool.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/brief_lock.h"
#include "core/cores.h"
#include "core/fork.h"
#include "core/signals.h"

namespace penstock {
namespace {

// 2, 8, 16 and 32 threads brought 5,300, 7,500, 9,200 and 7,800 files of 110 KB a second from a virtual disk into
// memory (two cores). From a server, where each file waits for two round trips, the rate is proportional.
constexpr int kIoThreads = 16;
// How long a worker looks. Eight files come in 0.32 ms where four workers look for up to a millisecond, in 0.36 where
// all do for 0.2.
constexpr auto kLongestSpin = std::chrono::microseconds(1000);

thread_local bool is_worker = false;

/// Makes the calling thread a worker for as long as this lives. All of them compute alike: a thread inherits the
/// rounding and the treatment of subnormals from the thread that started it, and a program may have changed those.
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

/// A pool that exists while a pipeline holds it.
class SharedPool {
 public:
  std::shared_ptr<WorkerPool> get(int threads, const char* name, const NumaNodes& nodes) {
    std::lock_guard lock(mutex_);
    auto pool = pool_.lock();
    if (!pool || pool->is_of_parent())
      pool_ = pool = std::shared_ptr<WorkerPool>(new WorkerPool(threads, name, nodes), end);
    return pool;
  }
  std::mutex& mutex() { return mutex_; }

 private:
  /// A parent's pool stays: its threads can be neither joined nor let go of.
  static void end(WorkerPool* pool) {
    if (!pool->is_of_parent()) delete pool;
  }
  std::mutex mutex_;
  std::weak_ptr<WorkerPool> pool_;
};

SharedPool of_process, of_io;

[[maybe_unused]] const bool held_over_forks = [] {
  hold_over_forks([]() -> std::mutex& { return of_process.mutex(); });
  hold_over_forks([]() -> std::mutex& { return of_io.mutex(); });
  return true;
}();

}  // namespace

WorkerPool::WorkerPool(int threads, const char* name, const NumaNodes& nodes)
    : cores_(usable_cores()), process_(getpid()) {
  for (int i = 0; i < threads; ++i) workers_.emplace_back(i);
  spread_over(nodes);
  asleep_.reserve(workers_.size());
  try {
    start(name);
  } catch (const std::system_error& e) {
    const std::string text = fmt::format(
        "only {} of {} threads could be started; raise the limit on processes (ulimit -u, or the container's on pids), "
        "or set PENSTOCK_NUM_THREADS to fewer",
        threads_.size(), threads);
    stop();
    throw std::system_error(e.code(), text);
  }
}

void WorkerPool::start(const char* name) {
  const SignalsBlocked inherited_by_workers;
  for (Worker& worker : workers_) {
    threads_.emplace_back([this, &worker] { work(worker); });
    pthread_setname_np(threads_.back().native_handle(), name);
  }
}

/// Worker i goes where core i is, when cores are counted node by node, one of each in turn.
void WorkerPool::spread_over(const NumaNodes& nodes) {
  std::vector<const NumaNodes::value_type*> places;
  for (size_t turn = 0, before = ~size_t{0}; before != places.size(); ++turn) {
    before = places.size();
    for (const auto& node : nodes)
      if (turn < node.second.size()) places.push_back(&node);
  }
  for (size_t i = 0; i < workers_.size() && !places.empty(); ++i)
    std::tie(workers_[i].node, workers_[i].cores) = *places[i % places.size()];
}

bool WorkerPool::on_worker() { return is_worker; }

bool WorkerPool::is_of_parent() const { return getpid() != process_; }

void WorkerPool::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    ++news_;
  }
  for (Worker& worker : workers_) worker.wake.release();
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<WorkerPool> WorkerPool::process() { return of_process.get(usable_cores(), "penstock", numa_nodes()); }

std::shared_ptr<WorkerPool> WorkerPool::io() { return of_io.get(kIoThreads, "penstock-io", {}); }

void WorkerPool::submit(std::shared_ptr<Job> job) {
  std::unique_lock lock = lock_brief(mutex_);
  const int node = job->node;
  jobs_.insert(job->first ? jobs_.begin() : jobs_.end(), std::move(job));
  ++news_;
  wake(missing(), node, lock);
}

void WorkerPool::wake(int needed, int node, std::unique_lock<std::mutex>& lock) {
  const Chosen chosen = choose(needed, node);
  lock.unlock();
  tell(chosen);
}

WorkerPool::Chosen WorkerPool::choose(int needed, int node) {
  const auto most = static_cast<size_t>(std::clamp(needed, 0, kWokenAtOnce));
  Chosen chosen{};
  size_t count = 0;
  for (const bool near : {true, false}) {
    for (size_t i = asleep_.size(); i-- > 0 && count < most;) {
      Worker* const worker = asleep_[i];
      if ((worker->node == node) != near || worker->number >= active()) continue;
      asleep_.erase(asleep_.begin() + static_cast<std::ptrdiff_t>(i));
      chosen[count++] = worker;
    }
  }
  on_way_ += count;
  return chosen;
}

void WorkerPool::tell(const Chosen& chosen) {
  for (Worker* worker : chosen)
    if (worker) worker->wake.release();
}

std::shared_ptr<void> WorkerPool::leave_cores(int count) { return ask(left_, count); }
std::shared_ptr<void> WorkerPool::keep_looking(int count) { return ask(looked_for_, count); }

std::shared_ptr<void> WorkerPool::ask(Asked& asked, int count) {
  const std::lock_guard lock(mutex_);
  const auto place = asked.insert(count);
  return {this, [&asked, place](WorkerPool* pool) { pool->take_back(asked, place); }};
}

void WorkerPool::take_back(Asked& asked, Asked::const_iterator place) {
  if (is_of_parent()) return;
  std::unique_lock lock(mutex_);
  asked.erase(place);
  wake(missing(), kAnyNode, lock);  // workers that rested may be needed
}

int WorkerPool::useful() {
  for (const std::shared_ptr<Job>& job : jobs_)
    if (job->limit) job->limit->wanted_ = 0;
  int sum = 0;
  for (const std::shared_ptr<Job>& job : jobs_) {
    int some = std::min((job->count - job->next_ + job->chunk - 1) / job->chunk, threads());
    some = std::clamp(job->workers - job->active_, 0, some);
    if (ConcurrencyLimit* limit = job->limit.get()) {
      some = std::clamp(limit->most - limit->active_ - limit->wanted_, 0, some);
      limit->wanted_ += some;
    }
    sum += some;
  }
  return std::min(sum, active());
}

// Threads that wake for nothing cost those with work their time: they contend for the lock. Those that look or were
// woken will take what waits already, so all jobs count: a job that blocks must not keep the next one waiting.
int WorkerPool::missing(int returning) { return useful() - returning - looking_ - static_cast<int>(on_way_); }

std::shared_ptr<Job> WorkerPool::claim(int node, int& begin, int& end) {
  const auto near = [&](const auto& job) { return job->node == kAnyNode || job->node == node; };
  const auto find = [&](auto&& suits) { return std::find_if(jobs_.begin(), jobs_.end(), suits); };
  auto it = find([&](const auto& job) { return near(job) && wants(*job); });
  if (it == jobs_.end()) it = find([&](const auto& job) { return wants(*job); });
  if (it == jobs_.end()) it = find([&](const auto& job) { return near(job) && has_room(*job); });
  if (it == jobs_.end()) it = find([&](const auto& job) { return has_room(*job); });
  return it == jobs_.end() ? nullptr : take(it, begin, end);
}

std::shared_ptr<Job> WorkerPool::take(Jobs::iterator it, int& begin, int& end) {
  Job& job = **it;
  begin = job.next_;
  end = job.next_ = std::min(job.count, begin + job.chunk);
  ++job.active_;
  if (job.limit) ++job.limit->active_;
  auto claimed = *it;
  if (end == job.count) jobs_.erase(it);
  return claimed;
}

std::shared_ptr<Job> WorkerPool::await(Worker& me, std::unique_lock<std::mutex>& lock, AdaptiveSpin& spin, int& begin,
                                       int& end) {
  const auto next = [&] { return me.number < active() ? claim(me.node, begin, end) : nullptr; };
  std::shared_ptr<Job> job = next();
  if (job || stop_) return job;
  const uint64_t seen = news_;
  const auto began = AdaptiveSpin::Clock::now();
  if (looking_ < most_looking() && me.number < active()) {
    ++looking_;
    lock.unlock();
    spin.look(began, [&] { return news_ != seen; });
    lock_brief(lock);
    --looking_;
  }
  while (!stop_ && !(job = next())) sleep(me, lock);
  spin.ended(began);
  return job;
}

void WorkerPool::sleep(Worker& me, std::unique_lock<std::mutex>& lock) {
  if (me.number >= active()) tell(choose(missing(), kAnyNode));  // others must do what this one was expected to
  asleep_.push_back(&me);
  lock.unlock();
  me.wake.acquire();
  lock_brief(lock);
  if (stop_) return;
  --on_way_;
  const Chosen others = choose(missing(1), me.node);
  if (!others.front()) return;
  lock.unlock();
  tell(others);
  lock_brief(lock);
}

void WorkerPool::work(Worker& me) {
  const AsWorker ever;
  if (!me.cores.empty()) bind_to(me.cores);
  AdaptiveSpin spin(kLongestSpin, cores_);
  std::unique_lock lock(mutex_);
  for (;;) {
    int begin = 0, end = 0;
    std::shared_ptr<Job> job = await(me, lock, spin, begin, end);
    if (!job) return;
    perform(std::move(job), begin, end, true, lock);
    if (stop_) return;
  }
}

void WorkerPool::perform(std::shared_ptr<Job> job, int begin, int end, bool comes_back,
                         std::unique_lock<std::mutex>& lock) noexcept {
  lock.unlock();
  job->run(begin, end);
  lock_brief(lock);
  job->finished_ += end - begin;
  --job->active_;
  const bool complete = job->finished_ == job->count;
  if (job->limit && job->limit->active_-- == job->limit->most) ++news_;
  const bool leaves_work = job->limit || !comes_back;
  const Chosen chosen = choose(leaves_work ? missing(comes_back && !complete ? 1 : 0) : 0, job->node);
  if (!complete && !chosen.front()) return;  // the workers that do the other items hold the job, too
  lock.unlock();
  tell(chosen);
  if (complete) job->done();
  job.reset();  // may end a pipeline's life: never under the lock
  lock_brief(lock);
}

void WorkerPool::hurry(const std::shared_ptr<Job>& job) {
  if (is_of_parent()) return;
  auto lock = lock_brief(mutex_);
  if (job->next_ == job->count || job->workers >= threads()) return;
  job->workers = threads();
  wake(missing(), job->node, lock);
}

bool WorkerPool::help(const std::shared_ptr<Job>& job) {
  if (is_of_parent()) return false;
  auto lock = lock_brief(mutex_);
  const auto it = std::find(jobs_.begin(), jobs_.end(), job);
  // Where all are at work they have the cores; a worker that looks for work is about to begin.
  if (it == jobs_.end() || !has_room(*job) || asleep_.size() + on_way_ == 0 || looking_ > 0) return false;
  int begin = 0, end = 0;
  auto taken = take(it, begin, end);
  const AsWorker now;
  perform(std::move(taken), begin, end, false, lock);
  return true;
}

}  // namespace penstock

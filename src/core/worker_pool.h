// The worker threads of the process: one pool that computes and one that waits for disks. Work comes as jobs of many
// independent items; workers take a few items at a time from the oldest job that has some left, so early batches finish
// first and no worker waits at a barrier. What ends a batch goes before the samples of later ones.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "core/adaptive_spin.h"
#include "core/numa.h"
#include "core/semaphore.h"

namespace penstock {

/// A bound on the workers that are at any of several jobs at once.
struct ConcurrencyLimit {
  explicit ConcurrencyLimit(int size) : most(size) {}
  const int most;

 private:
  friend class WorkerPool;
  friend struct Job;
  int active_ = 0;  // under the pool's lock, as all of this
  int wanted_ = 0;  // beyond those: counted by WorkerPool::useful()
};

/// Many independent items of work. The submitter sets the fields before submit(), and never again.
struct Job {
  int count = 0;          ///< items
  int chunk = 1;          ///< items a worker takes at a time
  int node = kAnyNode;    ///< whose workers should do it; others do when they have nothing of their own
  bool first = false;     ///< before all that waits
  int workers = INT_MAX;  ///< as many are woken for it, 1 at least; idle workers take part, too
  std::shared_ptr<ConcurrencyLimit> limit;  ///< whose workers do it; null: all
  std::function<void(int, int)> run;        ///< items [begin, end); must not throw
  std::function<void()> done;               ///< on the worker that finished the last item; may submit further jobs

 private:
  friend class WorkerPool;
  int next_ = 0, finished_ = 0, active_ = 0;
};

class WorkerPool {
 public:
  /// `name` is what tools that list threads show. Threads are spread over `nodes` as cores are, and stay there.
  /// @throws std::system_error where the system has not so many threads
  explicit WorkerPool(int threads, const char* name = "penstock", const NumaNodes& nodes = {});
  ~WorkerPool() { stop(); }

  /// The pool that all pipelines share, as wide as usable_cores(). Its threads are started at first use and live as
  /// long as anybody holds the pointer.
  static std::shared_ptr<WorkerPool> process();
  /// Likewise the pool for what waits for disks and file servers and hardly computes: wider than the cores, asleep as a
  /// rule.
  static std::shared_ptr<WorkerPool> io();

  void submit(std::shared_ptr<Job> job);
  /// The calling thread does some of the job's items that no worker has begun and for which workers have yet to wake.
  /// For a thread that waits for the job: what a worker would begin after 50 to 100 us on a virtual machine begins at
  /// once.
  /// @return false where there is nothing to do for it
  bool help(const std::shared_ptr<Job>& job);
  /// A thread waits for the job: all workers are woken for it, whatever `workers` says.
  void hurry(const std::shared_ptr<Job>& job);
  /// Leaves `count` of the pool's cores to threads that are no workers, for as long as the caller holds the result: the
  /// last workers rest. Of several calls, the largest count holds.
  [[nodiscard]] std::shared_ptr<void> leave_cores(int count);
  /// Likewise has so many workers look for work for a while before they sleep, and kLooking at least.
  [[nodiscard]] std::shared_ptr<void> keep_looking(int count);
  /// True in a process that was forked off the one that made the pool: its threads stayed there, and nothing that was
  /// submitted will ever be done.
  bool is_of_parent() const;
  /// Whether the calling thread is a worker, of any pool: it must not wait for what workers have yet to do.
  static bool on_worker();
  int threads() const { return static_cast<int>(workers_.size()); }

 private:
  struct Worker {
    explicit Worker(int its_number) : number(its_number) {}
    const int number;
    int node = kAnyNode;     // near which it is
    std::vector<int> cores;  // to which it keeps; empty: whatever there are
    Semaphore wake;
  };
  // Where the GPU is what limits, a picture takes 57 us of CPU time where all look, 52 with four and 48 with two.
  static constexpr int kLooking = 4;
  // Waking a thread costs the waker some microseconds: 200 digits for a GPU came in 0.41 to 0.45 ms where two were
  // woken at a time, in 0.45 to 0.48 where all were, in 0.47 to 0.49 where one was.
  static constexpr int kWokenAtOnce = 2;
  using Chosen = std::array<Worker*, kWokenAtOnce>;  // the first ones; null: no more

  void start(const char* name);
  /// Finishes what is running, drops what is not begun, joins.
  void stop();
  void spread_over(const NumaNodes& nodes);
  void work(Worker& me);
  using Jobs = std::list<std::shared_ptr<Job>>;
  /// For as long as the caller holds the result, `count` is among what was asked for.
  using Asked = std::multiset<int>;
  std::shared_ptr<void> ask(Asked& asked, int count);
  void take_back(Asked& asked, Asked::const_iterator place);
  /// Whether one more worker may be at the job. Needs mutex_.
  static bool has_room(const Job& job) { return !job.limit || job.limit->active_ < job.limit->most; }
  /// Whether a worker was woken for it, or will be. Likewise.
  static bool wants(const Job& job) { return job.active_ < job.workers && has_room(job); }
  /// Workers that do not rest: the first ones. Likewise.
  int active() const { return left_.empty() ? threads() : std::max(1, threads() - *left_.rbegin()); }
  int most_looking() const { return looked_for_.empty() ? kLooking : std::max(kLooking, *looked_for_.rbegin()); }
  /// What a worker of the node should do next; null: nothing. First the job for which another worker was woken: that
  /// one may be doing this worker's job, and no other will come. Needs mutex_.
  std::shared_ptr<Job> claim(int node, int& begin, int& end);
  std::shared_ptr<Job> take(Jobs::iterator it, int& begin, int& end);  // needs mutex_
  /// Does what was taken, for a thread that will look for more at once, or not. Releases the mutex meanwhile, and takes
  /// it again only where it must: a thread that looks for more has it already. An exception ends the process, in
  /// whichever thread: the job would never be done.
  void perform(std::shared_ptr<Job> job, int begin, int end, bool comes_back,
               std::unique_lock<std::mutex>& lock) noexcept;
  /// Chooses sleeping workers, those of the node first, and of those the ones that fell asleep last: only as many
  /// threads wake as there is work for. It chooses a few: they wake others in their turn. Needs mutex_.
  Chosen choose(int needed, int node);
  /// Preferably without mutex_: a woken worker would wait for it.
  static void tell(const Chosen& chosen);
  /// Chooses, and tells without the lock, which is given up.
  void wake(int needed, int node, std::unique_lock<std::mutex>& lock);
  /// How many threads the work that no worker has begun can use. Needs mutex_.
  int useful();
  /// How many of those are still to be woken: useful() less the workers that look for work, that are waking up, and the
  /// `returning` ones that will look for more at once. Likewise.
  int missing(int returning = 0);
  /// The next work, or null at the end.
  std::shared_ptr<Job> await(Worker& me, std::unique_lock<std::mutex>& lock, AdaptiveSpin& spin, int& begin, int& end);
  void sleep(Worker& me, std::unique_lock<std::mutex>& lock);
  std::mutex mutex_;
  std::deque<Worker> workers_;
  std::vector<Worker*> asleep_;    // in the order in which they fell asleep
  size_t on_way_ = 0;              // that were told, and have yet to wake
  Jobs jobs_;                      // in the order in which they are begun; those with items left
  int looking_ = 0;                // threads that wait for work without sleeping
  Asked left_, looked_for_;        // cores, and workers that look
  std::atomic<uint64_t> news_{0};  // changes whenever there may be work
  bool stop_ = false;
  const int cores_;
  const pid_t process_;
  std::vector<std::thread> threads_;
};

}  // namespace penstock

#include "pipeline/read_ahead.h"

#include <algorithm>
#include <atomic>
#include <shared_mutex>
#include <vector>

#include "pipeline/depth.h"

namespace penstock {
namespace {

// Samples to be ahead, whatever the batch size: at 5 ms a read, 16 threads bring 256 into memory in 80 ms.
constexpr int kSamplesAhead = 256;
// Hints are given in blocks of at least so many samples, so that batches of one do not wake a thread each.
constexpr int kBlockSamples = 64;
// What is tried of a block while all is in memory: 4 hints cost less than 1 % of 64 of the quickest samples.
constexpr int kProbes = 4;
// And so long after the last try. By batches alone, waking a thread cost 2 % of digits, 2,000 batches a second; where
// the disk is waited for again, time passes at once.
constexpr auto kProbeInterval = std::chrono::milliseconds(5);
// Opening and touching a file in memory took 6 us (21 us for the slowest in a hundred), one on a virtual disk at
// least 131 us, and two reads of the quickest NVMe disks take as long.
constexpr int64_t kSlowNanoseconds = 100'000;
// One slow hint among so many makes the next block a full one. Not any single one: on busy cores a thread is
// interrupted now and then.
constexpr int kSlowShare = 32;

int batches_of(int samples, const PipelineOptions& options) { return 1 + (samples - 1) / options.batch_size; }

}  // namespace

/// What jobs share with their ReadAhead and may see after its end: they wait in the queue of a pool of the process.
struct ReadAhead::Run {
  std::shared_mutex asking;  // shared while a reader is asked
  std::atomic<bool> over{false};
  std::atomic<bool> worthwhile{true};
};

struct ReadAhead::Block {
  struct Hint {
    const Reader* reader;
    int64_t index;
  };
  std::vector<Hint> hints;
  std::atomic<int> slow{0};
};

ReadAhead::ReadAhead(const Plan& plan, const PipelineOptions& options, const Chooser& chooser, Stats& stats)
    : plan_(plan), options_(options), chooser_(chooser), stats_(stats), run_(std::make_shared<Run>()) {}

ReadAhead::~ReadAhead() { forget(); }

int ReadAhead::batches(const PipelineOptions& options) {
  return std::max(depth_of(options) + 1, batches_of(kSamplesAhead, options));
}

void ReadAhead::follow(int64_t iteration) {
  const int64_t ahead = iteration + batches(options_);
  next_ = std::max(next_, iteration);
  if (plan_.readers.empty() || next_ >= ahead) return;
  const bool all = run_->worthwhile;
  const auto now = Clock::now();
  if (!all && now - tried_ < kProbeInterval) {
    next_ = ahead + batches_of(kBlockSamples, options_);
    return;
  }
  tried_ = now;
  auto block = std::make_shared<Block>();
  for (const int64_t end = ahead + batches_of(kBlockSamples, options_); next_ < end; ++next_) {
    if (!all && !block->hints.empty()) continue;
    BatchState batch{.iteration = next_, .samples = all ? options_.batch_size : std::min(kProbes, options_.batch_size)};
    try {
      chooser_.choose(batch);
    } catch (const std::bad_alloc&) {
      return;  // the batch itself will say so
    }
    for (size_t i = 0; i < batch.picks.size(); ++i) {
      const int reader = plan_.readers[i % plan_.readers.size()];
      if (batch.picks[i].valid)
        block->hints.push_back({plan_.nodes[static_cast<size_t>(reader)].reader, batch.picks[i].index});
    }
  }
  if (!block->hints.empty()) submit(std::move(block), all ? 1 : kProbes);
}

void ReadAhead::submit(std::shared_ptr<Block> block, int chunk) {
  if (!threads_) threads_ = WorkerPool::io();
  auto job = std::make_shared<Job>();
  job->count = static_cast<int>(block->hints.size());
  job->chunk = chunk;
  job->run = [run = run_, block, &stats = stats_](int begin, int end) {
    std::shared_lock lock(run->asking);
    if (run->over) return;
    for (int i = begin; i < end; ++i) {
      const auto& [reader, index] = block->hints[static_cast<size_t>(i)];
      const auto start = Clock::now();
      reader->will_need(index);
      const bool slow = nanoseconds_since(start) > kSlowNanoseconds;
      block->slow += slow;
      stats.slow_hints.fetch_add(slow, std::memory_order_relaxed);
      stats.hints.fetch_add(1, std::memory_order_relaxed);
    }
  };
  job->done = [run = run_, block] {
    run->worthwhile = block->slow * kSlowShare >= static_cast<int>(block->hints.size());
  };
  threads_->submit(std::move(job));
}

void ReadAhead::forget() {
  auto next = std::make_shared<Run>();
  next->worthwhile = run_->worthwhile.load();  // before the rest of a block is dropped, which looks quick
  run_->over = true;
  if (threads_ && !threads_->is_of_parent()) const std::unique_lock nobody_asks(run_->asking);
  run_ = std::move(next);
  next_ = 0;
}

}  // namespace penstock

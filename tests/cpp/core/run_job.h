#pragma once

#include <future>
#include <memory>

#include "core/worker_pool.h"

namespace penstock {

/// Runs `job` and waits for it.
inline void run(WorkerPool& pool, const std::shared_ptr<Job>& job) {
  std::promise<void> done;
  job->done = [&] { done.set_value(); };
  pool.submit(job);
  done.get_future().wait();
}

}  // namespace penstock

// The samples that could not be made, for Pipeline::failures().
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include <penstock/error.h>
#include <penstock/pipeline.h>

#include "schema/sample.h"

namespace penstock {

class FailureLog {
 public:
  /// @param source  the file or key alone, where the error's text may say more
  void add(const SampleId& id, const Error& error, const std::string& source) {
    Failure failure;
    failure.iteration = id.iteration;
    failure.slot = id.slot;
    failure.index = id.picks.empty() ? -1 : id.picks[0].index;
    failure.source = source;
    failure.stage = error.context().op;
    failure.reason = error.message();
    std::lock_guard lock(mutex_);
    failures_.push_back(std::move(failure));
    if (failures_.size() > kKept) failures_.pop_front();
  }
  std::vector<Failure> all() const {
    std::lock_guard lock(mutex_);
    return {failures_.begin(), failures_.end()};
  }

 private:
  static constexpr size_t kKept = 10'000;
  mutable std::mutex mutex_;
  std::deque<Failure> failures_;
};

}  // namespace penstock

// A timeline of a pipeline: which thread worked on what, when. Off until asked for; then one short lock an event.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace penstock {

class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Begins with nothing, or ends; what was recorded stays.
  void set_enabled(bool on);
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }
  /// `name` must outlive the trace: labels of the plan do. The last kKept events are kept.
  void add(std::string_view name, Clock::time_point start, Clock::time_point end, int64_t batch, int32_t slot);
  /// All events in the Trace Event Format, which chrome://tracing and Perfetto open
  /// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
  std::string json() const;

 private:
  static constexpr size_t kKept = 1'000'000;
  struct Event {
    std::string_view name;
    Clock::time_point start, end;
    int64_t batch;
    int32_t slot, thread;
  };
  std::atomic<bool> enabled_{false};
  mutable std::mutex mutex_;
  std::deque<Event> events_;
};

}  // namespace penstock

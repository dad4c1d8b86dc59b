#include "core/trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iterator>

namespace penstock {
namespace {

/// Operators' labels hold user-given names, which may hold anything.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result;
}

double microseconds(Trace::Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

}  // namespace

void Trace::set_enabled(bool on) {
  const std::lock_guard lock(mutex_);
  if (on && !enabled()) events_.clear();
  enabled_.store(on, std::memory_order_relaxed);
}

void Trace::add(std::string_view name, Clock::time_point start, Clock::time_point end, int64_t batch, int32_t slot) {
  const auto thread = static_cast<int32_t>(gettid());
  std::lock_guard lock(mutex_);
  events_.push_back({name, start, end, batch, slot, thread});
  if (events_.size() > kKept) events_.pop_front();
}

std::string Trace::json() const {
  std::lock_guard lock(mutex_);
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  const int process = getpid();
  for (const Event& e : events_)
    fmt::format_to(std::back_inserter(text),
                   "{}\n{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"args\":"
                   "{{\"batch\":{},\"sample\":{}}}}}",
                   &e == &events_.front() ? "" : ",", escaped(e.name), process, e.thread,
                   microseconds(e.start.time_since_epoch()), microseconds(e.end - e.start), e.batch, e.slot);
  return text + "\n]}\n";
}

}  // namespace penstock

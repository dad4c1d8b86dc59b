#include "device/end_queue.h"

#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "core/brief_lock.h"
#include "core/signals.h"

namespace penstock::device {
namespace {

using std::chrono::microseconds;

// A look is too short to count, but a thread that wakes takes a core from another for some microseconds.
constexpr microseconds kLeastSleep{50}, kMostSleep{1000};
// A sleep is that part of the wait so far: a thread that has waited long (behind a training step) has time.
constexpr int kPart = 64;
// A GPU that is lost sets no words: after so long it is asked, and again after as long.
constexpr microseconds kLong{50'000};

}  // namespace

EndQueue::EndQueue(Runtime& runtime) : runtime_(runtime) {
  const SignalsBlocked inherited;
  thread_ = std::jthread([this] { serve(); });
  pthread_setname_np(thread_.native_handle(), "penstock-ends");
}

EndQueue::~EndQueue() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  more_.notify_one();
}

void EndQueue::await(Stream stream, Mark mark, Done done) {
  int32_t* const word = mark.word;
  {
    const auto lock = lock_brief(mutex_);
    waiting_.push_back({.stream = stream, .mark = std::move(mark), .done = std::move(done), .lost = {}});
    news_ = Clock::now();
    more_.notify_one();
  }
  // Last of all: a consumer that sees the word may go on at once and destroy this queue.
  try {
    runtime_.set(stream, word, 1);
  } catch (...) {
    const auto lock = lock_brief(mutex_);
    std::erase_if(waiting_, [word](const Waiting& one) { return one.mark.word == word; });
    throw;
  }
}

void EndQueue::serve() {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // nanoseconds: Linux adds 50,000 to each sleep otherwise
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<Waiting> ended = take_ended();
    if (!ended.empty()) news_ = Clock::now();
    const auto waited = Clock::now() - news_;
    lock.unlock();
    for (const Waiting& one : ended) one.done(one.lost);
    if (ended.empty())
      std::this_thread::sleep_for(std::clamp<Clock::duration>(waited / kPart, kLeastSleep, kMostSleep));
    ended.clear();
    lock_brief(lock);
  }
}

std::vector<EndQueue::Waiting> EndQueue::take_ended() {
  if (const auto now = Clock::now(); now - std::max(news_, asked_) > kLong) {
    asked_ = now;
    ask_for_lost();
  }
  std::vector<Waiting> ended;
  for (Waiting& one : waiting_)
    if (one.lost || one.mark.set()) ended.push_back(std::exchange(one, {}));
  std::erase_if(waiting_, [](const Waiting& one) { return !one.done; });
  return ended;
}

void EndQueue::ask_for_lost() {
  for (Waiting& one : waiting_) {
    try {
      runtime_.throw_if_lost(one.stream);
    } catch (const std::exception&) {
      one.lost = std::current_exception();
    }
  }
}

}  // namespace penstock::device

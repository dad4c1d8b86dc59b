#include "device/engine_queue.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/signals.h"

namespace penstock::device {
namespace {

// While one thread tells of its pictures, the engine works for the other. On an H100 more threads decode no more, and
// each costs CPU time.
constexpr int kThreads = 2;
// The engine's rate is reached with 32 pictures at a time; with more, the first ones wait for the last.
constexpr size_t kAtATime = 32;

}  // namespace

EngineQueue::EngineQueue(const OpenJpegEngine& open) {
  const SignalsBlocked inherited;  // by nvJPEG's threads, too
  try {
    for (int i = 0; i < kThreads; ++i) engines_.push_back(open());
    for (const std::unique_ptr<JpegEngine>& engine : engines_) {
      threads_.emplace_back([this, engine = engine.get()] { serve(*engine); });
      pthread_setname_np(threads_.back().native_handle(), "penstock-engine");
    }
  } catch (const std::exception& e) {
    why_ = e.what();
    close();
    engines_.clear();
  }
}

EngineQueue::~EngineQueue() { close(); }

void EngineQueue::close() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  more_.notify_all();
  threads_.clear();
}

void EngineQueue::submit(Task task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  more_.notify_one();
}

void EngineQueue::serve(JpegEngine& engine) {
  for (;;) {
    std::vector<Task> taken;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [&] { return closing_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const size_t count = std::min(tasks_.size(), kAtATime);
      std::move(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(count), std::back_inserter(taken));
      tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    std::vector<EnginePicture> pictures;
    for (const Task& task : taken) pictures.push_back(task.picture);
    try {
      engine.decode(pictures);
    } catch (const std::exception&) {
      // A picture that fails is decoded by the host; a GPU that is lost shows at whatever is done next with it.
      for (EnginePicture& picture : pictures) picture.decoded = false;
    }
    for (size_t i = 0; i < taken.size(); ++i) taken[i].ended(pictures[i].decoded);
  }
}

}  // namespace penstock::device

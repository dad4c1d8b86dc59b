// JPEG files on their way to the GPU's own JPEG engine: workers put them in, a few threads, each with a decoder of its
// own, take as many as there are. The engine does not wait for streams, so it may only write memory that nothing reads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <penstock/tensor.h>

#include "device/jpeg_engine.h"

namespace penstock::device {

class EngineQueue {
 public:
  /// Opens the engine, which takes a good part of a second.
  explicit EngineQueue(const OpenJpegEngine& open);
  /// What has been submitted is done before.
  ~EngineQueue();

  /// Why there is no engine, for people to read; empty where there is one.
  const std::string& why_none() const { return why_; }

  struct Task {
    EnginePicture picture;
    Buffer file;                      ///< holds the bytes of the picture
    std::function<void(bool)> ended;  ///< is told whether all samples are there; on a thread of this queue
  };
  /// @pre there is an engine
  void submit(Task task);

 private:
  void close();
  void serve(JpegEngine& engine);

  std::string why_;
  std::vector<std::unique_ptr<JpegEngine>> engines_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Task> tasks_;
  bool closing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace penstock::device

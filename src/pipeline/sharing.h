// How workers share a batch's samples.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <mutex>

namespace penstock {

/// What a sample takes of late: the first ones touch memory and files for the first time.
class Pace {
 public:
  /// @param total nanoseconds of workers until now
  /// @param samples in which they were spent
  /// @return nanoseconds for each; 0 where nothing is known yet
  int64_t update(int64_t total, int64_t samples) {
    constexpr int64_t kOfBefore = 3;  // parts of four
    const std::lock_guard lock(mutex_);
    if (samples <= samples_ || total < total_) return each_;
    const int64_t now = std::max<int64_t>(1, (total - total_) / (samples - samples_));
    each_ = each_ == 0 ? now : std::max<int64_t>(1, (kOfBefore * each_ + now) / (kOfBefore + 1));
    total_ = total;
    samples_ = samples;
    return each_;
  }

 private:
  std::mutex mutex_;
  int64_t total_ = 0, samples_ = 0, each_ = 0;
};

struct Sharing {
  int chunk = 1;          ///< samples that a worker takes at a time
  int workers = INT_MAX;  ///< so many are woken for it (Job::workers)
};

/// @param samples of the batch
/// @param each what one takes, in nanoseconds of a worker; 0 where nothing is known yet
/// @param threads that may work on it
/// @param spare whether others are made before it, ahead of a GPU, so that no consumer waits for this one
inline Sharing share(int samples, int64_t each, int threads, bool spare) {
  // A worker should come back for more about this often: rarely enough that the queue's lock costs nothing, often
  // enough that the last workers of a batch finish together. Digits, of 4 us each, came at 320,000 to 441,000 a second
  // on two cores with 50 us, at 420,000 to 434,000 with 150.
  constexpr int64_t kChunk = 150'000;
  constexpr int kMostSamples = 32;
  // A small batch is shared by all workers as long as that gives each of them so much to do. A JPEG file for a GPU is
  // 25 us; with 50, eight of them were shared by four.
  constexpr int64_t kLeast = 20'000;
  // A worker that is woken for a batch made ahead should get about this much of it to do. Four H200 with 64 cores want
  // a batch of 2.7 ms every 0.2 ms: with workers woken for a chunk each, the system took a third of the busy cores, and
  // batches came 5 to 20 % slower (docs/notes/several_gpus.md).
  constexpr int64_t kWorthWaking = 1'000'000;
  if (each == 0) return {};
  const int64_t most = std::clamp<int64_t>(kChunk / each, 1, kMostSamples);
  const int64_t least = std::clamp<int64_t>(kLeast / each, 1, most);
  const int64_t workers = spare ? std::min<int64_t>(each * samples / kWorthWaking + 1, INT_MAX) : INT_MAX;
  const int64_t chunk = std::clamp(samples / std::min<int64_t>(threads, workers), least, most);
  return {.chunk = static_cast<int>(chunk), .workers = static_cast<int>(workers)};
}

}  // namespace penstock

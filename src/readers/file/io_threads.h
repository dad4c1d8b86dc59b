// Many calls that wait for a file server, side by side.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace penstock {

/// Calls work(i) for all i below `count`, from several threads. After an error no more calls begin, and it is thrown.
template <class Work>
void on_io_threads(size_t count, Work&& work) {
  // Listing waits for the file server, not for the processor: on a network file system with 1 ms a call, a thousand
  // directories take seconds one after the other.
  constexpr size_t kMaxThreads = 16;
  std::atomic<size_t> next = 0;
  const auto take_turns = [&] {
    try {
      for (size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      throw;
    }
  };
  std::vector<std::future<void>> helpers;
  for (size_t i = 1; i < std::min(count, kMaxThreads); ++i)
    helpers.push_back(std::async(std::launch::async, take_turns));
  take_turns();
  for (std::future<void>& helper : helpers) helper.get();
}

}  // namespace penstock

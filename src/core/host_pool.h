// Blocks of host memory for batches, recycled: a batch of the size of an earlier one costs no system call and no page
// fault. What is handed out comes back by itself when its last owner lets go, on whatever thread that happens.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <penstock/tensor.h>

namespace penstock {

class HostPool : public std::enable_shared_from_this<HostPool> {
 public:
  /// The pool of this process. It outlives every block, so blocks may be released at any time, also at exit.
  static std::shared_ptr<HostPool> process();

  ~HostPool();
  /// At least `bytes`, aligned to 256 bytes: what JAX (64) and DLPack (256) ask of memory they adopt.
  /// @throws PoolExhausted above the limit, with the numbers.
  Buffer allocate(size_t bytes);
  /// Bytes that may be held at a time, in use and idle; 0 means no limit.
  void set_limit(size_t bytes);
  /// Gives idle blocks back to the system.
  void trim();
  size_t in_use() const;
  size_t idle() const;
  size_t limit() const;

 private:
  void release(std::byte* block, size_t size);
  void free_idle_above(size_t bytes);                    // needs mutex_
  static const std::shared_ptr<HostPool> made_at_load_;  // where no fork can interrupt it
  mutable std::mutex mutex_;
  std::map<size_t, std::vector<std::byte*>> idle_;  // by size of block
  size_t in_use_ = 0, idle_bytes_ = 0, peak_ = 0, limit_ = 0;
};

}  // namespace penstock

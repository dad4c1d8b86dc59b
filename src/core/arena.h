// Bump allocation for what one sample needs while it is worked on. Memory is kept from sample to sample, so that the
// pixels of the next sample land in cache lines that are still warm, and nothing is allocated in the steady state.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace penstock {

class Arena {
 public:
  /// `bytes` of uninitialised memory aligned to 64 bytes, valid until reset(). @throws OutOfMemory
  std::byte* take(size_t bytes);
  /// Everything taken becomes invalid. Several chunks are replaced by one that would have held them all; an arena that
  /// has grown past kKeep and was mostly unused for a while shrinks again.
  void reset();
  /// Bytes held from the system.
  size_t capacity() const { return capacity_; }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  struct Chunk {
    std::unique_ptr<std::byte[], Free> memory;
    size_t size = 0, used = 0;
  };
  void grow(size_t bytes);
  std::vector<Chunk> chunks_;
  size_t capacity_ = 0, taken_ = 0, recent_peak_ = 0;
  int resets_ = 0;
};

}  // namespace penstock

// The shuffle of data that is read one after the other: a buffer, of which any sample comes next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace penstock::order {

/// The order in which samples leave a buffer of `size` samples that is filled up in their own order, as DALI's readers
/// shuffle: sample i comes at position i - size + 1 at the earliest, and at any later one. The buffer is emptied after
/// each stretch of many times its size, so that any position is found without those before. Larger data sets cost no
/// more memory. A function of its arguments; any thread may ask, and neighbours cost little one after the other.
class BufferShuffle {
 public:
  /// @param size  at least 1
  explicit BufferShuffle(uint64_t size);
  /// The sample at `position` of `n`, below which it must be.
  uint64_t operator()(uint64_t n, uint64_t key, uint64_t position) const;

 private:
  using Order = std::shared_ptr<const std::vector<uint32_t>>;
  struct Stretch {
    uint64_t n, key, number;
    Order order;
  };
  Order order_of(uint64_t n, uint64_t key, uint64_t number, uint64_t count) const;

  uint64_t size_, stretch_;
  mutable std::mutex mutex_;
  mutable std::array<Stretch, 4> recent_ = {};  // made again where they are gone: they decide nothing
  mutable size_t next_ = 0;
};

}  // namespace penstock::order

// Division by numbers that a whole kernel shares: a multiplication and a shift. With the machine's own division,
// finding out where an element lies took longer than all else.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/support/threads.cuh"

namespace penstock::cuda {

template <class Index>
class Divider {
 public:
  Divider() = default;
  __device__ explicit Divider(Index by) : by_(by) {}
  __device__ Index quotient(Index n) const { return n / by_; }

 private:
  Index by_;
};

/// For 0 <= n < 2^31 and 0 < by: Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994.
template <>
class Divider<int32_t> {
 public:
  Divider() = default;
  __device__ explicit Divider(int32_t by)
      : shift_(std::bit_width(static_cast<uint32_t>(by - 1))),
        magic_(static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift_) - static_cast<uint32_t>(by))) /
                                     static_cast<uint32_t>(by)) +
               1) {}
  __device__ int32_t quotient(int32_t n) const {
    const auto m = static_cast<uint32_t>(n);
    return static_cast<int32_t>((__umulhi(magic_, m) + m) >> shift_);
  }

 private:
  int shift_;
  uint32_t magic_;
};

}  // namespace penstock::cuda

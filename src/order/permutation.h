// A random order of [0, n) without the memory for it.
#pragma once

#include <cstdint>

namespace penstock::order {

/// A keyed bijection on [0, n), for n below 2^62: a Feistel network on the smallest near-square grid that holds n
/// cells, with cycle walking over the few cells beyond n. O(1) memory; equal (n, key) give equal orders everywhere.
class Permutation {
 public:
  Permutation(uint64_t n, uint64_t key);
  /// The element at `position`, which must be below n.
  uint64_t operator()(uint64_t position) const;

 private:
  uint64_t n_, key_, columns_, rows_, rounds_;
};

/// A keyed bijection on [0, n) that keeps neighbours near each other, for data whose neighbours are read together: it
/// permutes blocks of `block` elements and then all that lies in `mix` successive ones. O(1) memory.
class BlockPermutation {
 public:
  /// `block` and `mix` are at least 1.
  BlockPermutation(uint64_t n, uint64_t block, uint64_t mix, uint64_t key);
  /// The element at `position`, which must be below n.
  uint64_t operator()(uint64_t position) const;

 private:
  uint64_t n_, block_, window_, key_;
  uint64_t short_begin_;  // where the last block, which may be shorter, comes
};

}  // namespace penstock::order

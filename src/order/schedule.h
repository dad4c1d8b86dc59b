// Which of several data sets each sample of an epoch comes from, when each has to give a fixed number of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock::order {

/// Whole numbers in the ratios given, `total` in all: each is its share rounded down or up (largest remainders).
/// `ratios` are finite, not negative, and not all 0.
std::vector<int64_t> apportioned(std::span<const double> ratios, int64_t total);

/// Sets 0, 1, ... that give `counts` samples, spread evenly. An epoch is cut into blocks of kBlock samples and a rest;
/// in each of them every set has its share rounded down or up. Memory: two numbers a set; time: O(log(sets)^2).
class Schedule {
 public:
  static constexpr int64_t kBlock = 1000;

  /// What stands at one position: the `nth` sample, from 0, that `set` gives in this epoch.
  struct Turn {
    int64_t set = 0, nth = 0;
    friend bool operator==(const Turn&, const Turn&) = default;
  };

  explicit Schedule(const std::vector<int64_t>& counts);
  /// @param position  below the sum of the counts
  Turn at(int64_t position) const;
  int64_t size() const { return blocks_ * kBlock + rest_.back(); }
  /// Samples that `set` gives.
  int64_t count(int64_t set) const { return sum(full_, set, set + 1) + sum(rest_, set, set + 1); }

 private:
  using Sums = std::vector<int64_t>;  // of all sets before each, and of all
  static int64_t sum(const Sums& sums, int64_t begin, int64_t end) {
    return sums[static_cast<size_t>(end)] - sums[static_cast<size_t>(begin)];
  }
  int64_t middle(int64_t begin, int64_t end) const;
  Turn in_block(int64_t block, int64_t i) const;
  Turn in_rest(int64_t i) const;

  int64_t blocks_;
  Sums full_;  // what sets give in whole blocks
  Sums rest_;  // and behind them
};

}  // namespace penstock::order

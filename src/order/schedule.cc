#include "order/schedule.h"

#include <algorithm>
#include <numeric>

namespace penstock::order {
namespace {

/// part / whole of n, rounded to the nearest: 0 for n = 0, `part` for n = whole, and never two apart for neighbours.
int64_t share(int64_t n, int64_t part, int64_t whole) {
  const auto w = static_cast<uint64_t>(whole);  // n and part stay below 2^32, or part is at most kBlock
  return w == 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(n) * static_cast<uint64_t>(part) + w / 2) / w);
}

/// Samples of one part of a set of sets in blocks 0, 1, ...: `base` in each, one more in `extras` of them.
struct PerBlock {
  int64_t base, extras;
};

/// Where a set of sets stands at a block: one more than its base in `before` of the blocks so far, and in this one?
struct Extras {
  int64_t before, here;
};

/// How the extra samples of `all` fall to its left part. Where both parts have extras in the same block whenever `all`
/// has one, they take turns in the blocks where it has none; else they take turns in those where it has one.
int64_t extras_of_left(int64_t extras, int64_t block, const PerBlock& all, const PerBlock& left, const PerBlock& right,
                       int64_t blocks) {
  if (left.base + right.base == all.base) return share(extras, left.extras, all.extras);
  return extras + share(block - extras, left.extras - all.extras, blocks - all.extras);
}

std::vector<int64_t> sums_of(const std::vector<int64_t>& counts) {
  std::vector<int64_t> sums = {0};
  for (const int64_t count : counts) sums.push_back(sums.back() + count);
  return sums;
}

}  // namespace

std::vector<int64_t> apportioned(std::span<const double> ratios, int64_t total) {
  const double largest = *std::ranges::max_element(ratios);  // divided by, so that no sum of them overflows
  double sum = 0;
  for (const double ratio : ratios) sum += ratio / largest;
  std::vector<int64_t> counts;
  std::vector<double> remainders;
  int64_t left = total;
  for (const double ratio : ratios) {
    const double exact = ratio / largest / sum * static_cast<double>(total);
    // 0.7 of 1,000 is 699.9999999999999: what is whole but for rounding is whole.
    const auto down = static_cast<int64_t>(exact * (1 + 1e-13));
    counts.push_back(std::min(down, left));
    left -= counts.back();
    remainders.push_back(exact - static_cast<double>(counts.back()));
  }
  std::vector<size_t> by_remainder(ratios.size());
  std::iota(by_remainder.begin(), by_remainder.end(), size_t{0});
  std::ranges::stable_sort(by_remainder, std::greater(), [&](size_t i) { return remainders[i]; });
  for (size_t i = 0; left > 0; i = (i + 1) % by_remainder.size())
    if (ratios[by_remainder[i]] > 0) ++counts[by_remainder[i]], --left;
  return counts;
}

Schedule::Schedule(const std::vector<int64_t>& counts) {
  const int64_t size = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  blocks_ = size / kBlock;
  std::vector<int64_t> rest = counts;
  if (blocks_ > 0) {
    const std::vector<double> ratios(counts.begin(), counts.end());
    rest = apportioned(ratios, size % kBlock);
  }
  std::vector<int64_t> full;
  for (size_t i = 0; i < counts.size(); ++i) full.push_back(counts[i] - rest[i]);
  full_ = sums_of(full);
  rest_ = sums_of(rest);
}

int64_t Schedule::middle(int64_t begin, int64_t end) const {
  const auto total = [&](int64_t to) { return sum(full_, begin, to) + sum(rest_, begin, to); };
  int64_t low = begin + 1, high = end - 1;  // the first cut whose left part has half of the samples
  while (low < high) {
    const int64_t cut = low + (high - low) / 2;
    (2 * total(cut) >= total(end) ? high : low) = 2 * total(cut) >= total(end) ? cut : cut + 1;
  }
  return low;
}

Schedule::Turn Schedule::in_block(int64_t block, int64_t i) const {
  int64_t begin = 0, end = static_cast<int64_t>(full_.size()) - 1;
  const auto per_block = [&](int64_t from, int64_t to) {
    const int64_t all = sum(full_, from, to);
    return PerBlock{all / blocks_, all % blocks_};
  };
  PerBlock all = per_block(begin, end);
  Extras extras = {0, 0};
  while (end - begin > 1) {
    const int64_t cut = middle(begin, end);
    const PerBlock left = per_block(begin, cut), right = per_block(cut, end);
    const auto until = [&](int64_t of_all, int64_t blocks) {
      return extras_of_left(of_all, blocks, all, left, right, blocks_);
    };
    const int64_t before = until(extras.before, block);
    const int64_t here = until(extras.before + extras.here, block + 1) - before;
    const int64_t in_left = left.base + here, in_all = all.base + extras.here;
    const int64_t lefts = share(i, in_left, in_all);
    if (share(i + 1, in_left, in_all) > lefts) {
      i = lefts, end = cut, all = left;
      extras = {before, here};
    } else {
      // Blocks before this one gave base + extras of all; what was not the left part's was the right one's.
      const int64_t others = block * (all.base - left.base - right.base);
      i -= lefts;
      extras = {extras.before + others - before, in_all - in_left - right.base};
      begin = cut, all = right;
    }
  }
  return {begin, block * all.base + extras.before + i};
}

Schedule::Turn Schedule::in_rest(int64_t i) const {
  int64_t begin = 0, end = static_cast<int64_t>(rest_.size()) - 1;
  while (end - begin > 1) {
    const int64_t cut = middle(begin, end);
    const int64_t in_left = sum(rest_, begin, cut), in_all = sum(rest_, begin, end);
    const int64_t lefts = share(i, in_left, in_all);
    if (share(i + 1, in_left, in_all) > lefts) {
      i = lefts, end = cut;
    } else {
      i -= lefts, begin = cut;
    }
  }
  return {begin, sum(full_, begin, begin + 1) + i};
}

Schedule::Turn Schedule::at(int64_t position) const {
  const int64_t block = position / kBlock;
  return block < blocks_ ? in_block(block, position % kBlock) : in_rest(position - blocks_ * kBlock);
}

}  // namespace penstock::order

#include <penstock/parallel.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/check.h"

namespace penstock::parallel {
namespace {

std::vector<int64_t> chunks(int64_t rows, int parts) {
  if (rows == 0) return std::vector<int64_t>(static_cast<size_t>(parts), 0);
  const int64_t each = (rows + parts - 1) / parts;
  std::vector<int64_t> sizes;
  for (int64_t begin = 0; begin < rows; begin += each) sizes.push_back(std::min(each, rows - begin));
  return sizes;
}

/// Cuts lie at the shares, rounded up: 9 over 8 is 2, 1, 1, 1, 1, 1, 1, 1.
std::vector<int64_t> even(int64_t rows, int parts) {
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < parts; ++i) {
    const int64_t size = (rows * (i + 1) + parts - 1) / parts - (rows * i + parts - 1) / parts;
    if (size || !rows) sizes.push_back(size);
  }
  return sizes;
}

/// Cuts lie at the rounded shares, so sizes always add up.
std::vector<int64_t> rounded(int64_t rows, const std::vector<double>& weights, double total) {
  std::vector<int64_t> sizes;
  double before = 0;
  int64_t begin = 0;
  for (double weight : weights) {
    before += weight;
    const auto end = static_cast<int64_t>(std::nearbyint(static_cast<double>(rows) * before / total));
    sizes.push_back(end - begin);
    begin = end;
  }
  return sizes;
}

/// A row for a part that rounding has left without, since means over no rows are no numbers: from the largest part, or
/// from a later one when all have but one.
void feed(std::vector<int64_t>::iterator part, std::vector<int64_t>& sizes) {
  const auto most = std::prev(std::max_element(sizes.rbegin(), sizes.rend()).base());
  if (*most == 1 && most < part) return;
  --*most;
  ++*part;
}

std::vector<int64_t> weighted(int64_t rows, int parts, const std::vector<double>& weights) {
  const bool usable = std::ranges::all_of(weights, [](double w) { return std::isfinite(w) && w >= 0; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  PENSTOCK_CHECK(weights.size() == static_cast<size_t>(parts) && usable && total > 0 &&
                     std::isfinite(total * static_cast<double>(std::max<int64_t>(rows, 1))),
                 ArgumentError, "the weights of a split must be {} non-negative numbers, not all 0, got {}", parts,
                 weights);
  std::vector<int64_t> sizes = rounded(rows, weights, total);
  if (rows == 0) return sizes;
  for (auto one = sizes.begin(); one != sizes.end(); ++one)
    if (*one == 0 && weights[static_cast<size_t>(one - sizes.begin())] > 0) feed(one, sizes);
  while (sizes.back() == 0) sizes.pop_back();
  return sizes;
}

}  // namespace

std::vector<int64_t> split_sizes(int64_t rows, int parts, const Split& split) {
  PENSTOCK_CHECK(parts > 0 && rows >= 0, ArgumentError, "{} rows cannot be divided among {} devices", rows, parts);
  switch (split.kind) {
    case Split::Kind::kChunk:
      return chunks(rows, parts);
    case Split::Kind::kEven:
      return even(rows, parts);
    case Split::Kind::kWeights:
      return weighted(rows, parts, split.weights);
  }
  fail<ArgumentError>("there is no split number {}", static_cast<int>(split.kind));
}

}  // namespace penstock::parallel

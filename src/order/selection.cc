#include "order/selection.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/random.h"
#include "order/buffer.h"
#include "order/permutation.h"

namespace penstock::order {
namespace {

constexpr int64_t kMaxSize = int64_t{1} << 42;  // as of a data set

/// The sample at a position of an epoch that has each of n once.
int64_t shuffled(int64_t n, uint64_t epoch, int64_t position, const Shuffle& shuffle) {
  if (!shuffle.on) return position;
  const Permutation permutation(static_cast<uint64_t>(n), mix64(mix64(shuffle.seed, epoch), 0));
  return static_cast<int64_t>(permutation(static_cast<uint64_t>(position)));
}

class Every final : public Selection {
 public:
  explicit Every(int64_t n) : n_(n) {}
  int64_t size() const override { return n_; }
  int64_t bound() const override { return n_; }
  Selected at(uint64_t epoch, int64_t position, const Shuffle& shuffle) const override {
    return {shuffled(n_, epoch, position, shuffle), 0};
  }
  bool is_fixed() const override { return true; }
  uint64_t fingerprint() const override { return mix64(1, static_cast<uint64_t>(n_)); }

 private:
  int64_t n_;
};

class Listed final : public Selection {
 public:
  Listed(std::vector<int64_t> indices, int64_t n, SelectionPtr of)
      : indices_(std::move(indices)), n_(n), of_(std::move(of)) {}
  int64_t size() const override { return of_->size(); }
  int64_t bound() const override { return n_; }
  Selected at(uint64_t epoch, int64_t position, const Shuffle& shuffle) const override {
    const Selected place = of_->at(epoch, position, shuffle);
    return {indices_[static_cast<size_t>(place.index)], place.repeat};
  }
  bool is_fixed() const override { return of_->is_fixed(); }
  uint64_t fingerprint() const override {
    uint64_t hash = mix64(2, of_->fingerprint());
    for (const int64_t index : indices_) hash = mix64(hash, static_cast<uint64_t>(index));
    return hash;
  }

 private:
  std::vector<int64_t> indices_;
  int64_t n_;
  SelectionPtr of_;
};

/// Systematic sampling: equally spaced points on the line of weights laid end to end, moved a little in each epoch.
class Weighted final : public Selection {
 public:
  Weighted(std::vector<uint64_t> sums, int64_t size) : sums_(std::move(sums)), size_(static_cast<uint64_t>(size)) {}
  int64_t size() const override { return static_cast<int64_t>(size_); }
  int64_t bound() const override { return static_cast<int64_t>(sums_.size()); }
  Selected at(uint64_t epoch, int64_t position, const Shuffle& shuffle) const override {
    const auto nth = static_cast<uint64_t>(shuffled(size(), epoch, position, shuffle));
    const uint64_t moved = offset(epoch, shuffle.seed);
    const auto point = static_cast<uint64_t>((Wide{nth} << kFraction | moved) * sums_.back() / size_ >> kFraction);
    const auto index = std::upper_bound(sums_.begin(), sums_.end(), point) - sums_.begin();
    const uint64_t begin = index == 0 ? 0 : sums_[static_cast<size_t>(index) - 1];
    return {index, nth - first_from(begin, moved)};
  }
  bool is_fixed() const override { return false; }
  uint64_t fingerprint() const override {
    uint64_t hash = mix64(3, size_);
    for (const uint64_t sum : sums_) hash = mix64(hash, sum);
    return hash;
  }

 private:
  using Wide = unsigned __int128;
  static constexpr int kFraction = 32;  // bits of an offset, which is below 1

  /// Multiples of the golden ratio, which leave no gap for long.
  static uint64_t offset(uint64_t epoch, uint64_t seed) {
    return (mix64(seed) + epoch * 0x9e3779b97f4a7c15ull) >> (64 - kFraction);
  }
  /// Number of the first point from that place on.
  uint64_t first_from(uint64_t place, uint64_t moved) const {
    const Wide scaled = Wide{place} * size_ << kFraction;
    const auto least = (scaled + sums_.back() - 1) / sums_.back();
    const Wide one = Wide{1} << kFraction;
    return least <= moved ? 0 : static_cast<uint64_t>((least - moved + one - 1) >> kFraction);
  }

  std::vector<uint64_t> sums_;  // of all weights up to each and with it, of kLine or so
  uint64_t size_;
};

/// Length of the line of weights: points on it are products of 127 bits.
constexpr double kLine = 0x1p52;

}  // namespace

Epochs::Epochs(const Spec& spec, SelectionPtr selection)
    : positions_(spec), shuffle_{spec.shuffle && !spec.stick, spec.seed}, selection_(std::move(selection)) {
  check(spec);
  if (spec.buffer > 0) buffer_ = std::make_shared<const BufferShuffle>(static_cast<uint64_t>(spec.buffer));
  if (!selection_) return;
  PENSTOCK_CHECK(
      spec.block == 0, ArgumentError,
      "shuffle_groups keeps samples near each other that are read together, and goes through all of them: it "
      "cannot be given with a subset, weights, ratios, epoch_size or balanced classes");
  positions_.shuffle = spec.shuffle && spec.stick;
  PENSTOCK_CHECK(selection_->size() == spec.size, InternalError, "epochs of {} samples, of which {} are selected",
                 spec.size, selection_->size());
  PENSTOCK_CHECK(!spec.stick || selection_->is_fixed(), ArgumentError,
                 "stick_to_shard cannot be kept where epochs take other samples each: with weights, ratios, epoch_size "
                 "or balanced classes; leave it out");
}

Chosen Epochs::pick(int64_t step, int64_t slot) const {
  const Pick place = order::pick(positions_, step, slot, buffer_.get());
  // An empty shard has no position, and index 0.
  if (!selection_) return {place, 0};
  const Selected sample = selection_->at(place.epoch, place.index, shuffle_);
  return {{sample.index, place.epoch, place.valid}, sample.repeat};
}

int64_t Epochs::any_sample(uint64_t number) const {
  const auto position = static_cast<int64_t>(number % static_cast<uint64_t>(positions_.size));
  return selection_ ? selection_->at(0, position, {}).index : position;
}

SelectionPtr every(int64_t n) { return std::make_shared<Every>(n); }

SelectionPtr listed(std::vector<int64_t> indices, int64_t n, SelectionPtr of) {
  PENSTOCK_CHECK(!indices.empty(), ArgumentError, "no sample is left: the list of indices is empty");
  PENSTOCK_CHECK(static_cast<int64_t>(indices.size()) >= of->bound(), InternalError, "{} indices for {} samples",
                 indices.size(), of->bound());
  for (size_t i = 0; i < indices.size(); ++i)
    PENSTOCK_CHECK(indices[i] >= 0 && indices[i] < n, ArgumentError,
                   "index {} (number {} of the list) is not of this data set, whose samples are 0 to {}", indices[i], i,
                   n - 1);
  return std::make_shared<Listed>(std::move(indices), n, std::move(of));
}

SelectionPtr weighted(const std::vector<float>& weights, int64_t size) {
  PENSTOCK_CHECK(size >= 1 && size <= kMaxSize, ArgumentError, "an epoch cannot have {} samples", size);
  double total = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    PENSTOCK_CHECK(std::isfinite(weights[i]) && weights[i] >= 0, ArgumentError,
                   "weights are numbers from 0 on, that of sample {} is {}", i, weights[i]);
    total += weights[i];
  }
  PENSTOCK_CHECK(total > 0, ArgumentError, "no sample is left: all {} weights are 0", weights.size());
  std::vector<uint64_t> sums;
  sums.reserve(weights.size());
  for (const float weight : weights) {
    const auto scaled = static_cast<uint64_t>(std::llround(weight / total * kLine));
    sums.push_back((sums.empty() ? 0 : sums.back()) + scaled);
  }
  return std::make_shared<Weighted>(std::move(sums), size);
}

}  // namespace penstock::order

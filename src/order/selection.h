// What an epoch takes from a data set where it is not each sample once: subsets, weights, mixtures. Pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "order/order.h"

namespace penstock::order {

/// Whether an epoch's samples come in random order, and in which.
struct Shuffle {
  bool on = false;
  uint64_t seed = 0;
};

/// One sample of an epoch.
struct Selected {
  int64_t index = 0;
  uint64_t repeat = 0;  ///< tells the times that the sample comes in the epoch apart; 0 the first time
};

/// The samples of every epoch, by position. Never changes; any thread may ask.
class Selection {
 public:
  virtual ~Selection() = default;
  /// Samples in an epoch.
  virtual int64_t size() const = 0;
  /// Indices are below that number.
  virtual int64_t bound() const = 0;
  /// @param position  below size()
  virtual Selected at(uint64_t epoch, int64_t position, const Shuffle& shuffle) const = 0;
  /// Whether the same samples stand at the same positions of every epoch that is not shuffled.
  virtual bool is_fixed() const = 0;
  /// Other selections have other numbers.
  virtual uint64_t fingerprint() const = 0;
};

using SelectionPtr = std::shared_ptr<const Selection>;

/// One sample of one batch of a selection.
struct Chosen : Pick {
  uint64_t repeat = 0;  ///< as Selected::repeat
};

/// Which sample comes when: what stands at the positions that a Spec goes through.
class Epochs {
 public:
  /// @param spec       whose size is that of the selection
  /// @param selection  null: each sample once
  /// @throws ArgumentError as check(spec) does, and where a selection that is not fixed is to stick to shards
  Epochs(const Spec& spec, SelectionPtr selection);
  /// As order::pick. @throws likewise
  Chosen pick(int64_t step, int64_t slot) const;
  /// Any sample that epochs have; equal numbers give equal ones.
  int64_t any_sample(uint64_t number) const;
  void start_at(Progress start) { positions_.start = std::move(start); }

 private:
  Spec positions_;  // shuffled only where that is all that is to be shuffled
  Shuffle shuffle_;
  SelectionPtr selection_;
  std::shared_ptr<const BufferShuffle> buffer_;  // of positions_, null where it has none
};

/// Each of n samples once.
SelectionPtr every(int64_t n);

/// What `of` selects of the list `indices`, in place of the list's own places. @throws ArgumentError for an empty list,
/// one that is shorter than of->bound(), and an index that is not below `n`
SelectionPtr listed(std::vector<int64_t> indices, int64_t n, SelectionPtr of);

/// Sample i so often that its part of the epochs is weights[i] of their sum: in each epoch its share of `size` samples,
/// rounded down or up. Where weights are equal and `size` is their number, each sample comes once.
/// @throws ArgumentError for weights that are negative, no numbers, or all 0
SelectionPtr weighted(const std::vector<float>& weights, int64_t size);

/// Several data sets in turns, whose indices follow one another: those of set k begin where those of set k - 1 end. Of
/// an epoch each has its ratio of `size` samples, and of each Schedule::kBlock likewise, rounded down or up. Each set
/// is gone through again and again, from one epoch on into the next, in a new random order each time where shuffled.
/// @param ratios  one for each set; as many again for the next epoch, and so on: the last hold for all that follow
/// @throws ArgumentError for no set, ratios that are negative, no numbers, all 0, too small for a sample in an epoch,
/// or of which there are too few
SelectionPtr mixture(std::vector<SelectionPtr> sets, const std::vector<double>& ratios, int64_t size);

}  // namespace penstock::order

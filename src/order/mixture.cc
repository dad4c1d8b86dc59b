#include <algorithm>
#include <cmath>
#include <span>

#include "core/check.h"
#include "core/random.h"
#include "order/schedule.h"
#include "order/selection.h"

namespace penstock::order {
namespace {

using Schedules = std::vector<Schedule>;

class Mixture final : public Selection {
 public:
  Mixture(std::vector<SelectionPtr> sets, Schedules schedules)
      : sets_(std::move(sets)), schedules_(std::move(schedules)) {
    for (const SelectionPtr& set : sets_) begins_.push_back(begins_.back() + set->bound());
  }
  int64_t size() const override { return schedules_[0].size(); }
  int64_t bound() const override { return begins_.back(); }
  Selected at(uint64_t epoch, int64_t position, const Shuffle& shuffle) const override {
    const Schedule::Turn turn = schedules_[row(epoch)].at(position);
    const auto k = static_cast<size_t>(turn.set);
    const auto size = static_cast<uint64_t>(sets_[k]->size());
    const uint64_t before = given_before(epoch, turn.set), nth = before + static_cast<uint64_t>(turn.nth);
    const uint64_t pass = nth / size, passes = pass - before / size;
    const Selected of_set =
        sets_[k]->at(pass, static_cast<int64_t>(nth % size), {shuffle.on, mix64(shuffle.seed, k + 1)});
    return {begins_[k] + of_set.index, passes == 0 ? of_set.repeat : mix64(of_set.repeat, passes)};
  }
  bool is_fixed() const override { return false; }
  uint64_t fingerprint() const override {
    uint64_t hash = 4;
    for (const SelectionPtr& set : sets_) hash = mix64(hash, set->fingerprint());
    for (const Schedule& schedule : schedules_)
      for (size_t k = 0; k < sets_.size(); ++k)
        hash = mix64(hash, static_cast<uint64_t>(schedule.count(static_cast<int64_t>(k))));
    return hash;
  }

 private:
  size_t row(uint64_t epoch) const { return static_cast<size_t>(std::min<uint64_t>(epoch, schedules_.size() - 1)); }
  /// Samples that `set` has given in the epochs before this one.
  uint64_t given_before(uint64_t epoch, int64_t set) const {
    uint64_t count = 0;
    for (size_t r = 0; r < row(epoch); ++r) count += static_cast<uint64_t>(schedules_[r].count(set));
    return count + (epoch - row(epoch)) * static_cast<uint64_t>(schedules_.back().count(set));
  }

  std::vector<SelectionPtr> sets_;
  std::vector<int64_t> begins_ = {0};
  Schedules schedules_;
};

void check_ratios(std::span<const double> ratios) {
  bool any = false;
  for (size_t k = 0; k < ratios.size(); ++k) {
    PENSTOCK_CHECK(std::isfinite(ratios[k]) && ratios[k] >= 0, ArgumentError,
                   "ratios are numbers from 0 on, that of set {} is {}", k, ratios[k]);
    any |= ratios[k] > 0;
  }
  PENSTOCK_CHECK(any, ArgumentError, "the ratios are all 0: no set gives samples");
}

}  // namespace

SelectionPtr mixture(std::vector<SelectionPtr> sets, const std::vector<double>& ratios, int64_t size) {
  PENSTOCK_CHECK(!sets.empty(), ArgumentError, "there is no data set to take samples from");
  PENSTOCK_CHECK(size >= 1 && size <= int64_t{1} << 42, ArgumentError, "an epoch cannot have {} samples", size);
  PENSTOCK_CHECK(!ratios.empty() && ratios.size() % sets.size() == 0, ArgumentError,
                 "give one ratio for each of the {} sets, or as many for each of the first epochs; there are {}",
                 sets.size(), ratios.size());
  Schedules schedules;
  for (size_t r = 0; r < ratios.size(); r += sets.size()) {
    const std::span row = std::span(ratios).subspan(r, sets.size());
    check_ratios(row);
    const std::vector<int64_t> counts = apportioned(row, size);
    for (size_t k = 0; k < row.size(); ++k)
      PENSTOCK_CHECK(row[k] == 0 || counts[k] > 0, ArgumentError,
                     "the ratio {} of set {} leaves it no sample in an epoch of {}; give a larger epoch_size", row[k],
                     k, size);
    schedules.emplace_back(counts);
  }
  return std::make_shared<Mixture>(std::move(sets), std::move(schedules));
}

}  // namespace penstock::order

#include "pipeline/buckets.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/random.h"

namespace penstock {

Buckets::Buckets(const Reader& reader, const order::Spec& order, order::Epochs whole)
    : reader_(reader), order_(counted_anew(order)), whole_(std::move(whole)), each_(order::steps_per_epoch(order_)) {
  const std::vector<order::Segment>& segments = order.start.segments;
  if (segments.empty()) return;
  const auto [num_shards, taken] = segments.back();
  PENSTOCK_CHECK(segments.size() == 1 && num_shards == order.num_shards && taken % order.batch == 0, ArgumentError,
                 "a run with bucket_by was saved within an epoch: its batches are those of {} ranks and of its batch "
                 "size; go on with these to the end of the epoch, and change them there",
                 num_shards);
  done_ = taken / order.batch;
}

std::vector<Buckets::Turn> Buckets::turns(int64_t step) const {
  const int64_t counted = done_ + step, in_epoch = counted % each_;
  const int64_t window_steps = reader_.bucket_batches();
  const int64_t begin = in_epoch / window_steps * window_steps;
  const int64_t steps = std::min(window_steps, each_ - begin);
  const std::shared_ptr<const Window> all = window(counted - in_epoch + begin, steps);
  const auto first = all->turns.begin() + (in_epoch - begin) * order_.batch;
  return {first, first + order_.batch};
}

std::shared_ptr<const Buckets::Window> Buckets::window(int64_t first, int64_t steps) const {
  constexpr size_t kKept = 4;  // the one that is read, and those that are read ahead
  {
    const std::lock_guard lock(mutex_);
    for (const auto& one : kept_)
      if (one->first == first && one->steps == steps) return one;
  }
  auto window = std::make_shared<const Window>(made(first, steps));
  const std::lock_guard lock(mutex_);
  kept_.push_front(window);
  if (kept_.size() > kKept) kept_.pop_back();
  return window;
}

Buckets::Window Buckets::made(int64_t first, int64_t steps) const {
  struct Row {
    int64_t length;
    Turn turn;
  };
  std::vector<Row> valid;
  std::vector<Turn> padding;
  uint64_t epoch = 0;
  for (int64_t step = first; step < first + steps; ++step)
    for (int64_t slot = 0; slot < order_.batch; ++slot) {
      const order::Chosen pick = whole_.pick(step, slot);
      epoch = pick.epoch;
      if (pick.valid)
        valid.push_back({reader_.length_of(pick.index), {step, slot}});
      else
        padding.push_back({step, slot});
    }
  std::stable_sort(valid.begin(), valid.end(), [](const Row& a, const Row& b) { return a.length < b.length; });
  // What does not fill a batch comes last, as where nothing is sorted: the shortest ones, which need the least padding.
  const auto full = static_cast<int64_t>(valid.size()) / order_.batch;
  const int64_t left = static_cast<int64_t>(valid.size()) % order_.batch;
  Window window{first, steps, {}};
  const order::Permutation mixed(static_cast<uint64_t>(std::max<int64_t>(full, 1)),
                                 mix64(order_.seed, mix64(epoch, static_cast<uint64_t>(first % each_))));
  for (int64_t i = 0; i < full; ++i) {
    const int64_t batch = order_.shuffle ? static_cast<int64_t>(mixed(static_cast<uint64_t>(i))) : i;
    for (int64_t slot = 0; slot < order_.batch; ++slot)
      window.turns.push_back(valid[static_cast<size_t>(left + batch * order_.batch + slot)].turn);
  }
  for (int64_t i = 0; i < left; ++i) window.turns.push_back(valid[static_cast<size_t>(i)].turn);
  window.turns.insert(window.turns.end(), padding.begin(), padding.end());
  return window;
}

}  // namespace penstock

#include "pipeline/chooser.h"

#include "core/check.h"
#include "core/random.h"

namespace penstock {

const std::vector<order::Spec>& Chooser::orders() {
  if (orders_.size() == plan_.readers.size()) return orders_;  // not written again: workers may be reading
  std::vector<order::Spec> orders;
  std::vector<order::Epochs> epochs;
  for (int r : plan_.readers) {
    const PlannedNode& node = plan_.nodes[static_cast<size_t>(r)];
    try {
      orders.push_back(node.reader->order(node.spec));
      epochs.emplace_back(orders.back(), node.reader->selection());
    } catch (Error& e) {
      e.add_context(node.context());
      throw;
    }
  }
  epochs_ = std::move(epochs);
  orders_ = std::move(orders);
  fill_buckets();
  return orders_;
}

void Chooser::fill_buckets() {
  buckets_.reset();
  whole_epochs_ = epochs_;
  for (size_t r = 0; r < orders_.size(); ++r) whole_epochs_[r].start_at(Buckets::counted_anew(orders_[r]).start);
  for (size_t r = 0; r < orders_.size(); ++r) {
    const PlannedNode& node = plan_.nodes[static_cast<size_t>(plan_.readers[r])];
    if (node.reader->bucket_batches() == 0) continue;
    try {
      PENSTOCK_CHECK(r == 0, ArgumentError, "only the first reader of a pipeline can have bucket_by; others follow it");
      buckets_ = std::make_unique<const Buckets>(*node.reader, orders_[0], whole_epochs_[0]);
    } catch (Error& e) {
      e.add_context(node.context());
      throw;
    }
  }
}

void Chooser::start_at(int64_t iteration, std::vector<order::Progress> progress) {
  orders();
  first_iteration_ = iteration;
  for (size_t r = 0; r < orders_.size(); ++r) {
    orders_[r].start = r < progress.size() ? progress[r] : order::Progress{};
    epochs_[r].start_at(orders_[r].start);
  }
  fill_buckets();
}

void Chooser::choose(BatchState& batch) const {
  PENSTOCK_CHECK(orders_.size() == plan_.readers.size(), InternalError, "samples are chosen before readers are open");
  const int64_t iteration = batch.iteration;
  const std::vector<Buckets::Turn> turns =
      buckets_ ? buckets_->turns(iteration - first_iteration_) : std::vector<Buckets::Turn>();
  batch.picks.reserve(orders_.size() * static_cast<size_t>(batch.samples));
  for (int slot = 0; slot < batch.samples; ++slot) {
    const size_t first = batch.picks.size();
    const Buckets::Turn own{iteration - first_iteration_, slot};
    const auto [step, place] = buckets_ ? turns[static_cast<size_t>(slot)] : own;
    uint64_t repeat = 0;  // of the first reader, as all that is of the sample
    for (const order::Epochs& epochs : buckets_ ? whole_epochs_ : epochs_) {
      const order::Chosen chosen = epochs.pick(step, place);
      if (batch.picks.size() == first) repeat = chosen.repeat;
      batch.picks.push_back(chosen);
    }
    const bool valid = orders_.empty() || batch.picks[first].valid;
    // Only the first reader counts here: all readers of a pipeline are meant to run in step.
    if (!valid && orders_[0].epoch_end == order::EpochEnd::kPartial) {
      batch.picks.resize(first);
      break;
    }
    SampleId id{.iteration = iteration, .slot = slot};
    if (orders_.empty()) {
      id.sample = static_cast<uint64_t>(iteration * options_.batch_size + slot);
    } else {
      // Random numbers follow it: a sample that comes again in an epoch has others.
      id.epoch = repeat == 0 ? batch.picks[first].epoch : mix64(batch.picks[first].epoch, repeat);
      id.sample = static_cast<uint64_t>(batch.picks[first].index);
    }
    batch.ids.push_back(id);
    batch.valid.push_back(valid);
  }
  for (size_t i = 0; i < batch.ids.size(); ++i)
    batch.ids[i].picks = std::span(batch.picks).subspan(i * orders_.size(), orders_.size());
}

void Chooser::replace(BatchState& batch, size_t slot, int attempt) const {
  SampleId& id = batch.ids[slot];
  Random random(mix64(static_cast<uint64_t>(options_.seed), 0x7265706cu + static_cast<uint64_t>(attempt)), id.epoch,
                id.sample);
  const auto picks = std::span(batch.picks).subspan(slot * orders_.size(), orders_.size());
  const uint64_t drawn = uint64_t{random.next()} << 32 | random.next();
  // The same sample of readers of equal data sets, which belong together; one that is there of a smaller one.
  const uint64_t number = drawn % static_cast<uint64_t>(orders_[0].size);
  for (size_t r = 0; r < picks.size(); ++r) picks[r].index = epochs_[r].any_sample(number);
  id.sample = static_cast<uint64_t>(picks[0].index);
}

}  // namespace penstock

// Batches of samples of like length: within a window of batches of one epoch, samples are sorted by length.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "order/order.h"
#include "order/selection.h"
#include "schema/reader.h"

namespace penstock {

/// A pure function of the order and of lengths, like the order itself; windows that were computed are kept. Safe to
/// use from all threads.
class Buckets {
 public:
  /// A row of a batch of the order, which counts steps from the beginning of the epoch in which the run begins.
  struct Turn {
    int64_t step = 0, slot = 0;
  };

  /// `reader` must outlive this object. @throws ArgumentError for a run that begins within an epoch of another number
  /// of ranks or another batch size
  /// @param whole  the same order, counted from the beginning of the epoch in which the run begins
  Buckets(const Reader& reader, const order::Spec& order, order::Epochs whole);

  /// The rows that make batch `step` of the run.
  std::vector<Turn> turns(int64_t step) const;
  /// An order of a run that begins where its epoch does.
  static order::Spec counted_anew(order::Spec order) {
    order.start.segments.clear();
    return order;
  }

 private:
  struct Window {
    int64_t first = 0, steps = 0;
    std::vector<Turn> turns;
  };
  std::shared_ptr<const Window> window(int64_t first, int64_t steps) const;
  Window made(int64_t first, int64_t steps) const;

  const Reader& reader_;
  order::Spec order_;
  order::Epochs whole_;
  int64_t done_ = 0;  // steps of the first epoch that earlier runs took
  int64_t each_ = 0;  // steps of an epoch
  mutable std::mutex mutex_;
  mutable std::list<std::shared_ptr<const Window>> kept_;  // latest first
};

}  // namespace penstock

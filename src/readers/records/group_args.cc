#include "readers/records/group_args.h"

#include "core/check.h"
#include "core/usable_memory.h"

namespace penstock {

size_t GroupArgs::budget() const {
  PENSTOCK_CHECK(cache_size >= 0 && cache_size < (int64_t{1} << 40), ArgumentError,
                 "cache_size is megabytes of memory, got {}", cache_size);
  PENSTOCK_CHECK(!shuffle_groups || *shuffle_groups >= 0, ArgumentError,
                 "shuffle_groups must be 0 (all) or more, got {}", *shuffle_groups);
  // As much as records that are read in place may take.
  return cache_size > 0 ? static_cast<size_t>(cache_size) << 20 : usable_memory() / 4;
}

void shuffle_in_groups(order::Spec& order, const GroupArgs& args, const Groups& groups) {
  const size_t budget = args.budget();
  if (!order.shuffle || groups.most_records == 0) return;
  constexpr double kMega = 1 << 20;
  const double room = static_cast<double>(budget) / kMega;
  const double largest = static_cast<double>(groups.most_bytes) / kMega;
  const bool in_turn = order.buffer > 0;  // then they are loaded one after the other
  PENSTOCK_CHECK(args.shuffle_groups || in_turn || groups.all_bytes <= static_cast<int64_t>(budget), ArgumentError,
                 "all {0}s take {1:.1f} MB and cache_size has room for {2:.1f}: a shuffle of all samples would load a "
                 "{0} of {3:.1f} MB for each sample. Pass shuffle_groups=16 to permute the {0}s of the whole data set "
                 "and the samples of 16 at a time, a larger cache_size, or shuffle_groups=0 to do so all the same; "
                 "`penstock pack` makes a data set that is shuffled as a whole at no cost",
                 groups.name, static_cast<double>(groups.all_bytes) / kMega, room, largest);
  const int64_t together = args.shuffle_groups.value_or(0);
  PENSTOCK_CHECK(static_cast<double>(together) * largest <= room, ArgumentError,
                 "{} {}s of {:.1f} MB that are shuffled together are more than cache_size has room for, {:.1f} MB; "
                 "lower shuffle_groups or raise cache_size",
                 together, groups.name, largest, room);
  if (together > 0) order.block = groups.most_records, order.mix = together;
}

}  // namespace penstock

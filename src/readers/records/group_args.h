// What readers of groups of records that are loaded as a whole have in common: arguments, and the order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "order/order.h"
#include "schema/schema.h"

namespace penstock {

struct GroupArgs {
  std::optional<int64_t> shuffle_groups;
  int64_t cache_size = 0;
  /// Bytes that groups may take. @throws ArgumentError
  size_t budget() const;
};

/// Groups of a data set that is partly in memory.
struct Groups {
  std::string_view name;  ///< "row group"
  int64_t most_records = 0, most_bytes = 0, all_bytes = 0;
};

/// A shuffled order mixes so many groups at a time as the arguments say. @throws ArgumentError for a shuffle that would
/// load groups again and again
void shuffle_in_groups(order::Spec& order, const GroupArgs& args, const Groups& groups);

inline constexpr std::string_view kShuffleGroups =
    "With a shuffle: how many groups (row groups of Parquet, compressed archives) are mixed at a time. The order then "
    "is "
    "a permutation of blocks as long as the largest group, over the whole data set, and of all that lies in so many of "
    "them. 0: a permutation of all samples, which loads a group for each sample that is not in memory. Without it, as "
    "0 "
    "where all fits into `cache_size`; otherwise the reader asks for it.";
inline constexpr std::string_view kCacheSize =
    "Megabytes of groups (decoded row groups of Parquet, unpacked archives) to keep in memory; 0: a quarter of the "
    "machine's memory, or the container's.";

template <class Op>
void add_group_args(OpBuilder<Op>& op) {
  op.arg("shuffle_groups", &GroupArgs::shuffle_groups, kShuffleGroups);
  op.arg("cache_size", &GroupArgs::cache_size, kCacheSize);
}

}  // namespace penstock

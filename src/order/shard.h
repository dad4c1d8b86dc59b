// DALI's split of n samples into shards: shard k holds [floor(n k / S), floor(n (k + 1) / S)).
#pragma once

#include <cstdint>

namespace penstock::order {

/// First index of shard `shard` when n samples are split `num_shards` ways; n for shard == num_shards. The product
/// n * num_shards must fit 63 bits (check(Spec) sees to it).
constexpr int64_t shard_begin(int64_t n, int64_t num_shards, int64_t shard) { return n * shard / num_shards; }

/// The shard that holds `index`, the inverse of shard_begin: the largest k with floor(n k / S) <= index.
constexpr int64_t shard_of(int64_t n, int64_t num_shards, int64_t index) { return ((index + 1) * num_shards - 1) / n; }

}  // namespace penstock::order

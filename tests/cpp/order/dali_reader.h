// The oracle: DALI's reader played through sample by sample (cursor, segments, pop), as its documentation and the label
// sequences in tests/golden/dali_order.json show it, without shuffling.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace penstock::order {

struct DaliReader {
  int64_t size, num_shards, shard, batch;
  bool pad, stick;

  /// Indices of the first `batches` batches, one after the other.
  std::vector<int64_t> play(int64_t batches) const {
    struct Read {
      int64_t index, visit;
    };
    const auto begin = [&](int64_t k) { return size * k / num_shards; };
    const int64_t padded = (size + num_shards - 1) / num_shards;
    int64_t cursor = begin(shard), visit = 0;
    const auto read = [&] {
      const Read result{cursor++, visit};
      const int64_t here = stick ? shard : (shard + visit) % num_shards;
      if (cursor >= begin(here + 1)) ++visit;
      if (cursor >= size || (stick && cursor >= begin(shard + 1))) cursor = stick ? begin(shard) : 0;
      return result;
    };

    std::vector<int64_t> out;
    Read next = read();  // the buffer of one sample
    int64_t segment = 0, returned = 0;
    for (int64_t row = 0; row < batches * batch; ++row) {
      const bool first = row % batch == 0;
      if (next.visit != segment) {
        if (pad && (returned < padded || !first)) {
          out.push_back(out.back());
          ++returned;
          continue;
        }
        segment = next.visit;
        returned = 0;
      }
      out.push_back(next.index);
      ++returned;
      next = read();
    }
    return out;
  }
};

}  // namespace penstock::order

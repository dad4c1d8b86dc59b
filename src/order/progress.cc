#include "order/progress.h"

#include "core/check.h"

namespace penstock::order {

std::vector<int64_t> to_integers(const Progress& progress) {
  std::vector<int64_t> integers = {static_cast<int64_t>(progress.epoch)};
  for (const Segment& segment : progress.segments) {
    integers.push_back(segment.num_shards);
    integers.push_back(segment.taken);
  }
  return integers;
}

Progress progress_from(std::span<const int64_t> integers) {
  PENSTOCK_CHECK(integers.size() % 2 == 1 && integers[0] >= 0, ArgumentError,
                 "[{}] is no saved position; it begins with an epoch and goes on in pairs of shards and samples",
                 fmt::join(integers, ", "));
  Progress progress{static_cast<uint64_t>(integers[0]), {}};
  for (size_t i = 1; i < integers.size(); i += 2) {
    const Segment segment{integers[i], integers[i + 1]};
    PENSTOCK_CHECK(segment.num_shards >= 1 && segment.taken >= 1, ArgumentError,
                   "[{}] is no saved position: {} shards cannot have taken {} samples each", fmt::join(integers, ", "),
                   segment.num_shards, segment.taken);
    progress.segments.push_back(segment);
  }
  return progress;
}

}  // namespace penstock::order

#include "ops/base/reduction.h"

namespace penstock {

[[gnu::cold]] void register_reductions_sum(Registry& r) {
  add_reduction<TypedReductionArgs, Reduction::kSum>(
      r, "reductions.sum", "Sums elements.",
      "INT64 or UINT64 of integers, else the input's type, unless `dtype` says otherwise.");
}

}  // namespace penstock

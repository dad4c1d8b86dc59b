#include "ops/base/reduction.h"

namespace penstock {

[[gnu::cold]] void register_reductions_max(Registry& r) {
  add_reduction<ReductionArgs, Reduction::kMax>(r, "reductions.max", "Finds the largest element. NaN counts as such.",
                                                "Of the input's type; of no elements the lowest value that it has.");
}

}  // namespace penstock

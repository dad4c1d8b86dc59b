#include "ops/base/reduction.h"

namespace penstock {

[[gnu::cold]] void register_reductions_min(Registry& r) {
  add_reduction<ReductionArgs, Reduction::kMin>(r, "reductions.min", "Finds the least element. NaN counts as such.",
                                                "Of the input's type; of no elements the highest value that it has.");
}

}  // namespace penstock

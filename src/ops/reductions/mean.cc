#include "ops/base/reduction.h"

namespace penstock {

[[gnu::cold]] void register_reductions_mean(Registry& r) {
  add_reduction<TypedReductionArgs, Reduction::kMean>(r, "reductions.mean", "Averages elements.",
                                                      "FLOAT, unless `dtype` says otherwise.");
}

}  // namespace penstock

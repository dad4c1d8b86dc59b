#include "ops/base/reduction.h"

namespace penstock {

[[gnu::cold]] void register_reductions_rms(Registry& r) {
  add_reduction<TypedReductionArgs, Reduction::kRootMeanSquare>(r, "reductions.rms",
                                                                "The root of the average of the squares of elements.",
                                                                "FLOAT, unless `dtype` says otherwise.");
}

}  // namespace penstock

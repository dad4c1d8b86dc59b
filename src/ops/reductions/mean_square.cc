#include "ops/base/reduction.h"

namespace penstock {

[[gnu::cold]] void register_reductions_mean_square(Registry& r) {
  add_reduction<TypedReductionArgs, Reduction::kMeanSquare>(
      r, "reductions.mean_square", "Averages the squares of elements.", "FLOAT, unless `dtype` says otherwise.");
}

}  // namespace penstock

#include "ops/base/reduction.h"

namespace penstock {

[[gnu::cold]] void register_reductions_variance(Registry& r) {
  add_reduction<SpreadArgs, Reduction::kVariance>(r, "reductions.variance",
                                                  "The variance of elements around a given mean.", "FLOAT.");
}

}  // namespace penstock

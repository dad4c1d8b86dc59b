#include "ops/base/reduction.h"

namespace penstock {

[[gnu::cold]] void register_reductions_std_dev(Registry& r) {
  add_reduction<SpreadArgs, Reduction::kDeviation>(r, "reductions.std_dev",
                                                   "The standard deviation of elements around a given mean.", "FLOAT.");
}

}  // namespace penstock

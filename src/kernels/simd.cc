#include "kernels/simd.h"

#include <hwy/highway.h>

#include <cstdint>

namespace penstock::kernels {

std::string_view simd_target() {
  const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(targets & -targets);  // the better a target, the lower its bit
}

}  // namespace penstock::kernels

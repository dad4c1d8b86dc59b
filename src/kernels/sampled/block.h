// Pictures looked up on the CPU, some positions of a row at a time, whatever the map.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>

#include "kernels/sampled/job.h"
#include "kernels/sampled/taps.h"

namespace penstock::kernels {

/// Makes `count` positions of the result, whose places the block holds, at `out`.
/// @param frame of the source
/// @throws TypeError as run_sampled()
void sample_block(const SampledSource& source, int32_t frame, SampledBlock& block, size_t count, DType in, DType out,
                  void* to);

}  // namespace penstock::kernels

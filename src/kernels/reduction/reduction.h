// Reductions along axes, on the CPU, and what jobs for them look like.
#pragma once

#include <cstdint>
#include <span>

#include <penstock/dtype.h>
#include <penstock/shape.h>

#include "kernels/reduction/job.h"

namespace penstock::kernels {

/// Everything but places: of a dense tensor along the `reduced` axes; neighbours that step as one are joined.
/// @param strides of the tensor's axes, in elements; empty: it is dense
ReductionJob reduction_job(Reduction reduction, const Shape& shape, std::span<const bool> reduced,
                           std::span<const int64_t> strides = {});

/// Divides few large results among thread blocks, for a launch of so many jobs; `partial` and `ended` then need room.
/// @return bytes of GPU memory that job.partial needs: 0 where nothing is divided
size_t divide_for_gpu(ReductionJob& job, int jobs);

/// Runs a job on the CPU, where all its addresses are the host's. Integer sums and extremes are those of a GPU; sums of
/// doubles are added in another order there.
/// @throws TypeError for types that kReduction has not
void run_reduction(const ReductionJob& job, DType in, DType out);

}  // namespace penstock::kernels

// Pictures as JPEG leaves them.
#include "cuda/kernels/jpeg_distortion.cuh"

#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"

namespace penstock::cuda {
namespace {

void launch_jpeg_distortion(const device::JobBatch<JpegDistortionJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const int64_t pixels = batch.most_elements / 3;
  const auto strips = [&](int64_t each) {
    return static_cast<unsigned>(std::clamp<int64_t>((pixels + each - 1) / each, 1, 16384));
  };
  in_slices(batch.count, [&](int first, unsigned slice) {
    const JpegDistortionJob* jobs = batch.jobs + first;
    distort_kernel<<<dim3(strips(kTileRows * kTileColumns), slice), kDistortionThreads, 0, stream_of(batch)>>>(jobs);
    show_kernel<<<dim3(strips(int64_t{kShowThreads} * 2 * kShownColumns), slice), kShowThreads, 0, stream_of(batch)>>>(
        jobs);
  });
  check_launch("distorting a batch of pictures");
}

}  // namespace

using kernels::kJpegDistortion;
PENSTOCK_KERNEL(kJpegDistortion, launch_jpeg_distortion)

}  // namespace penstock::cuda

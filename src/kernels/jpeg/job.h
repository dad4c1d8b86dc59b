// JPEG decoding on a GPU: the codec describes the scan, see there.
#pragma once

#include "codec/jpeg/scan_job.h"
#include "device/kernel.h"

namespace penstock::kernels {

/// Scans, samples, or pixels that the host has decoded, to pixels, as there are among the jobs, in which the GPU notes
/// what it finds out. Teams of thread blocks share a scan where the GPU has clusters of them (compute capability 9.0)
/// and the code was compiled for such a GPU. On a stream with a bound on multiprocessors each has its own: a cluster
/// may not fit there.
inline constexpr device::Kernel<codec::jpeg::ScanJob, codec::jpeg::ScanWork> kDecodeJpeg{"decode_jpeg"};

}  // namespace penstock::kernels

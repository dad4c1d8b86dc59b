// The launches behind Backend's kernels, one file each.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include <penstock/dtype.h>

#include "codec/jpeg/scan_job.h"
#include "device/jobs.h"
#include "kernels/elements/job.h"

namespace penstock::cuda {

void copy_all(cudaStream_t stream, const device::CopyJob* jobs, int count, size_t most_bytes);
void gather(cudaStream_t stream, DType in, DType out, const device::GatherJob* jobs, int count, int64_t most_elements);
/// Jobs are ElementJob, `stride` bytes apart. Where any has room for tables, these are made first.
void make_taps(cudaStream_t stream, const std::byte* jobs, size_t stride, int count);
void elements(cudaStream_t stream, const std::byte* jobs, size_t stride, int count, int64_t most_elements,
              kernels::ElementMachine machine);
void resample(cudaStream_t stream, DType in, DType out, const device::ResampleJob* jobs, int count,
              int64_t most_elements);
void renew(cudaStream_t stream, const device::RenewJob* jobs, int count, const device::Bases& bases);
void total(cudaStream_t stream, const device::TotalJob* jobs, int count, void* to);
void sum(cudaStream_t stream, DType dtype, const device::SumJob& job);
/// Jobs are StatisticsJob; `together` neighbours share their statistics.
void statistics(cudaStream_t stream, const std::byte* jobs, size_t stride, int count, int together,
                int64_t most_groups);

/// What a GPU has for the first of the launches below.
struct EntropyRoom {
  int most_team = 1;   ///< thread blocks that may share a scan
  uint32_t warps = 0;  ///< of a thread block, that may collect blocks at a time
  int at_once = 0;     ///< thread blocks that the GPU holds at a time, without teams
};
/// JPEG files in two launches, entropy-coded bits to coefficients and these to pixels, or in three, by way of samples,
/// where ScanJob::direct() says no. The first needs to be prepared for, once for each GPU.
EntropyRoom prepare_jpeg_entropy();
/// Before that, scans that are stuffed are freed of it.
void free_jpeg_of_stuffing(cudaStream_t stream, codec::jpeg::ScanJob* jobs, int count);
/// Whether the first of them leaves less than half of the GPU to others.
bool fills_gpu(int count, EntropyRoom room);
void decode_jpeg_entropy(cudaStream_t stream, const codec::jpeg::ScanJob* jobs, int count, EntropyRoom room);
/// @param half_begun is recorded, unless it is null, when half of the files have been begun; so below
void make_jpeg_pixels_directly(cudaStream_t stream, const codec::jpeg::ScanJob* jobs, int count, int64_t most_elements,
                               cudaEvent_t half_begun);
void transform_jpeg(cudaStream_t stream, const codec::jpeg::ScanJob* jobs, int count, int64_t most_elements,
                    cudaEvent_t half_begun);
void make_jpeg_pixels(cudaStream_t stream, const codec::jpeg::ScanJob* jobs, int count, int64_t most_elements);

}  // namespace penstock::cuda

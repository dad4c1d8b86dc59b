// The launches that decoding JPEG files takes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "codec/jpeg/scan_job.h"

namespace penstock::cuda {

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

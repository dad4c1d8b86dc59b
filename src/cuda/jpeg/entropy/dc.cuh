// Differences of DC values to the values, by all warps of a thread block: each takes a stretch, twice; first for what
// it leaves to the next ones, then for the values.
#pragma once

#include <cstdint>

#include "codec/jpeg/scan_job.h"
#include "cuda/support/team.cuh"

namespace penstock::cuda {

using codec::jpeg::ScanJob;
using codec::jpeg::WantedPlane;

/// The DC values of a component in the order of the file, down to the last that is needed. A warp takes a stretch of
/// them.
struct DcRow {
  int16_t* first;
  uint32_t of_mcu, mcu_blocks;  // values, blocks
  uint32_t count, interval;     // values in all, and between restarts
  uint32_t begin, end;          // the warp's stretch

  __device__ DcRow(const ScanJob& job, const WantedPlane& w)
      : first(job.dc + w.first),
        of_mcu(static_cast<uint32_t>(w.plane.block_rows * w.plane.blocks)),
        mcu_blocks(static_cast<uint32_t>(job.mcu_blocks)),
        count(job.needed_blocks / mcu_blocks * of_mcu),
        interval(job.segments[0].blocks / mcu_blocks * of_mcu) {
    const uint32_t stretch = (count + ScanJob::kThreads - 1) / ScanJob::kThreads * 32;
    begin = min(threadIdx.x / 32 * stretch, count);
    end = min(begin + stretch, count);
  }
  __device__ int16_t& at(uint32_t i) const { return first[i / of_mcu * mcu_blocks + i % of_mcu]; }
  __device__ uint32_t restart_before(uint32_t i) const { return i / interval * interval; }
};

/// What the warp's stretch leaves to the next one: the sum of its differences since the last restart.
__device__ inline void sum_stretch(const DcRow& row, int& result, bool& restarts) {
  const uint32_t lane = threadIdx.x % 32, last = row.begin < row.end ? row.restart_before(row.end - 1) : 0;
  int sum = 0;
  for (uint32_t i = max(row.begin, last) + lane; i < row.end; i += 32) sum += row.at(i);
  for (uint32_t d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(kAllLanes, sum, d);
  if (lane != 0) return;
  result = sum;
  restarts = row.begin < row.end && last >= row.begin;
}

/// Differences to values, `sum` being the value before the stretch.
/// @return false where a value leaves 16 bits: libjpeg has rules of its own for such files
__device__ inline bool add_up_stretch(const DcRow& row, int sum) {
  const uint32_t lane = threadIdx.x % 32;
  bool good = true;
  for (uint32_t first = row.begin; first < row.end; first += 32) {
    const uint32_t i = first + lane, restart = row.restart_before(i);
    int here = i < row.end ? row.at(i) : 0;
    for (uint32_t d = 1; d < 32; d *= 2) {
      const int before = __shfl_up_sync(kAllLanes, here, d);
      if (lane >= d && i - d >= restart) here += before;
    }
    if (restart < first) here += sum;
    if (i < row.end) row.at(i) = static_cast<int16_t>(here);
    good &= here == static_cast<int16_t>(here);
    sum = __shfl_sync(kAllLanes, here, 31);
  }
  return good;
}

}  // namespace penstock::cuda

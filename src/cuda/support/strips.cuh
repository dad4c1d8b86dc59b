// Strips of results under windows that move over pictures or volumes: a thread makes four neighbours of a line in
// several rows, one below the other, so that what it loads of a row of the source serves all results that see it.
#pragma once

#include <cstdint>

#include "cuda/support/threads.cuh"
#include "kernels/neighbourhood/job.h"

namespace penstock::cuda {

inline constexpr int kStripThreads = 256;  ///< of a block
inline constexpr int kStripColumns = 4;    ///< results of a strip, side by side
inline constexpr int kStripRows = 8;       ///< and one below the other
inline constexpr int kOuterStripRows = 2;  ///< likewise, where windows reach beyond a line

/// Where a strip's first result lies.
struct Strip {
  int64_t plane = 0;  ///< of all of the job's results
  int32_t y = 0;      ///< row of the plane
  int64_t x = 0;      ///< element of the row
};

/// The strips of a line of results. Windows of those from `inner_begin` to `inner_end` see nothing beyond a line of the
/// source.
struct StripLine {
  uint32_t strips, inner_begin = 0, inner_end = 0;

  __device__ explicit StripLine(const kernels::NeighbourhoodJob& job) {
    const kernels::WindowAxis& ax = job.axes[2];
    const int64_t line = int64_t{ax.wanted} * job.channels, held = int64_t{ax.held} * job.channels;
    strips = static_cast<uint32_t>((line + kStripColumns - 1) / kStripColumns);
    // What the first strip's windows see.
    const int64_t first = int64_t{ax.first() - ax.held_begin} * job.channels;
    const int64_t last = first + int64_t{ax.taps - 1} * job.channels + kStripColumns;
    const int64_t begin = first < 0 ? (kStripColumns - 1 - first) / kStripColumns : 0;
    const int64_t end = min(held < last ? 0 : (held - last) / kStripColumns + 1, line / kStripColumns);
    if (begin < end) inner_begin = static_cast<uint32_t>(begin), inner_end = static_cast<uint32_t>(end);
  }
  __device__ uint32_t inner() const { return inner_end - inner_begin; }
};

/// Strip `n` of planes of `across` times `down` strips. Counts on without divisions.
struct StripNumber {
  uint32_t column, row;
  int64_t plane;

  __device__ StripNumber(uint32_t n, uint32_t across, uint32_t down)
      : column(n % across), row(n / across % down), plane(n / across / down) {}
  __device__ void add(const StripNumber& step, uint32_t across, uint32_t down) {
    column += step.column, row += step.row, plane += step.plane;
    if (column >= across) column -= across, ++row;
    if (row >= down) row -= down, ++plane;
  }
};

/// Calls fn(column, row, plane) for this thread's share of the strips of a job.
template <int kRows, class Fn>
__device__ void share_strips(const kernels::NeighbourhoodJob& job, uint32_t across, Fn&& fn) {
  const auto down = static_cast<uint32_t>((job.axes[1].wanted + kRows - 1) / kRows);
  const int64_t planes = int64_t{job.outer} * job.axes[0].wanted;
  if (across == 0 || down == 0) return;
  const StripNumber step(gridDim.x * kStripThreads, across, down);
  for (StripNumber n(blockIdx.x * kStripThreads + threadIdx.x, across, down); n.plane < planes;
       n.add(step, across, down))
    fn(n.column, static_cast<int32_t>(n.row) * kRows, n.plane);
}

/// Whether the windows of a strip see nothing beyond the rows of the source.
template <int kRows>
__device__ bool rows_inside(const kernels::NeighbourhoodJob& job, const Strip& strip) {
  const kernels::WindowAxis& ay = job.axes[1];
  const int64_t first = int64_t{ay.first()} - ay.held_begin + strip.y;
  return first >= 0 && first + kRows + ay.taps - 1 <= ay.held;
}

/// Which of the elements that a strip's windows see may lie beyond the source.
enum class Beyond { kNone, kRows, kAll };
template <Beyond kBeyond>
struct BeyondIs {
  static constexpr Beyond value = kBeyond;
};

/// Calls fn(strip, BeyondIs<...>()) for all strips of a job. Those of Beyond::kAll have kOuterRows rows, all others
/// kRows. The former take longer: other warps make them, and begin with them.
template <int kRows, int kOuterRows, class Fn>
__device__ void for_strips(const kernels::NeighbourhoodJob& job, Fn&& fn) {
  const StripLine line(job);
  share_strips<kOuterRows>(job, line.strips - line.inner(), [&](uint32_t column, int32_t y, int64_t plane) {
    if (column >= line.inner_begin) column += line.inner();
    fn(Strip{plane, y, int64_t{column} * kStripColumns}, BeyondIs<Beyond::kAll>());
  });
  share_strips<kRows>(job, line.inner(), [&](uint32_t column, int32_t y, int64_t plane) {
    const Strip strip{plane, y, int64_t{column + line.inner_begin} * kStripColumns};
    if (rows_inside<kRows>(job, strip))
      fn(strip, BeyondIs<Beyond::kNone>());
    else
      fn(strip, BeyondIs<Beyond::kRows>());
  });
}

/// Blocks of threads for jobs of at most so many results.
inline unsigned strip_blocks(int64_t most_results) {
  constexpr int64_t kResults = kStripThreads * kStripColumns * kStripRows, kMost = 65'535;
  const int64_t blocks = (most_results + kResults - 1) / kResults;
  return static_cast<unsigned>(blocks < kMost ? blocks : kMost);
}

/// Brings the job of this block into shared memory.
template <class Job>
__device__ void read_job(const Job* jobs, Job& job) {
  for (unsigned i = threadIdx.x; i < sizeof(Job) / sizeof(int32_t); i += kStripThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
}

}  // namespace penstock::cuda

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
inline constexpr int kOuterStripRows = 2;  ///< likewise, where each element is looked for on its own

/// Where a strip's first result lies.
struct Strip {
  int64_t plane = 0;  ///< of all of the job's results
  int32_t y = 0;      ///< row of the plane
  int64_t x = 0;      ///< element of the row
};

/// Planes of a job's results, and the thread blocks that make them together.
struct StripShare {
  int64_t first_plane, planes;
  uint32_t block, blocks;  ///< this one's number among them, and how many there are

  /// All of a job, by all blocks.
  static __device__ StripShare whole(const kernels::NeighbourhoodJob& job) {
    return {0, int64_t{job.outer} * job.axes[0].wanted, blockIdx.x, gridDim.x};
  }
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

/// Calls fn(strip) for this thread's share of the strips of kRows rows, `across` of them side by side.
template <int kRows, class Fn>
__device__ void share_strips(const kernels::NeighbourhoodJob& job, const StripShare& share, uint32_t across, Fn&& fn) {
  const auto down = static_cast<uint32_t>((job.axes[1].wanted + kRows - 1) / kRows);
  if (across == 0 || down == 0) return;
  const StripNumber step(share.blocks * kStripThreads, across, down);
  for (StripNumber n(share.block * kStripThreads + threadIdx.x, across, down); n.plane < share.planes;
       n.add(step, across, down))
    fn(n.column, Strip{share.first_plane + n.plane, static_cast<int32_t>(n.row) * kRows, 0});
}

/// Whether windows see nothing beyond the source along an axis.
/// @param begin  first of `made` results
__device__ inline bool windows_inside(const kernels::WindowAxis& axis, int64_t begin, int made) {
  const int64_t first = begin + axis.first() - axis.held_begin;
  return first >= 0 && first + made + axis.taps - 1 <= axis.held;
}

/// Which of the elements that a strip's windows see may lie beyond the source.
enum class Beyond { kNone, kRows, kAll };  // kRows: planes, too
template <Beyond kBeyond>
struct BeyondIs {
  static constexpr Beyond value = kBeyond;
};

/// Calls fn(strip, BeyondIs<...>()) for this thread's share of strips. Those of Beyond::kAll have kOuterRows rows, all
/// others kRows. The former take longer: other warps make them, and begin with them.
/// @param all  all strips are to be of Beyond::kAll
template <int kRows, int kOuterRows, class Fn>
__device__ void for_strips(const kernels::NeighbourhoodJob& job, const StripShare& share, bool all, Fn&& fn) {
  StripLine line(job);
  if (all) line.inner_end = line.inner_begin;
  share_strips<kOuterRows>(job, share, line.strips - line.inner(), [&](uint32_t column, Strip strip) {
    if (column >= line.inner_begin) column += line.inner();
    strip.x = int64_t{column} * kStripColumns;
    fn(strip, BeyondIs<Beyond::kAll>());
  });
  share_strips<kRows>(job, share, line.inner(), [&](uint32_t column, Strip strip) {
    strip.x = int64_t{column + line.inner_begin} * kStripColumns;
    const auto& [az, ay, ax] = job.axes;
    const int64_t z = az.wanted == 1 ? 0 : strip.plane % az.wanted;
    if (windows_inside(az, z, 1) && windows_inside(ay, strip.y, kRows))
      fn(strip, BeyondIs<Beyond::kNone>());
    else
      fn(strip, BeyondIs<Beyond::kRows>());
  });
}

/// Blocks of threads for each of `count` jobs of at most so many results. Few enough that each makes several strips a
/// thread: what a block does before its first takes some time.
inline unsigned strip_blocks(int64_t most_results, int count) {
  constexpr int64_t kResults = kStripThreads * kStripColumns * kStripRows, kAll = 4096;
  const int64_t blocks = (most_results + kResults - 1) / kResults, most = (kAll + count - 1) / count;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

/// Brings the job of this block into shared memory.
template <class Job>
__device__ void read_job(const Job* jobs, Job& job) {
  for (unsigned i = threadIdx.x; i < sizeof(Job) / sizeof(int32_t); i += kStripThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
}

}  // namespace penstock::cuda

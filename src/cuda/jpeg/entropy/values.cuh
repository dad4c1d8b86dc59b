// Where the coefficients of a scan's blocks go, and the passes that write them: of pieces, and of runs.
#pragma once

#include <cstdint>

#include "codec/jpeg/scan_job.h"
#include "cuda/jpeg/entropy/blocks.cuh"
#include "cuda/jpeg/entropy/step.cuh"
#include "cuda/jpeg/entropy/symbols.cuh"
#include "cuda/jpeg/entropy/way.cuh"
#include "cuda/support/team.cuh"

namespace penstock::cuda {

using codec::jpeg::WantedPlane;

inline constexpr uint32_t kNotWanted = ~0U;  // the number of a block
inline constexpr uint32_t kMostBlockBits = 64 * 27;
// Then those threads of a warp whose block has ended write it, and the others wait. 1, 2, 3, 4: 839, 796, 780, 779 us
// for a batch of 256.
inline constexpr int kSymbolsAtATime = 4;

/// Where the wanted blocks lie that are a certain one of their MCU. Divisions for every block took as long as decoding
/// it.
struct alignas(16) BlockPlace {
  int row, column;         // of the first MCU's, counted from the first wanted one
  int down, across;        // from MCU to MCU
  uint32_t rows, columns;  // of wanted blocks; none: no rows
  uint32_t before;         // wanted blocks of the components before
};

/// The places of an MCU's blocks and of a block's coefficients, in shared memory.
struct Targets {
  BlockPlace places[kMaxMcuBlocks];
  uint8_t order[80];
};

__device__ inline BlockPlace place_in_mcu(const ScanJob& job, int in_mcu) {
  const int c = job.component_of[static_cast<size_t>(in_mcu)];
  if (c >= job.planes) return {};
  const WantedPlane& w = job.wanted[static_cast<size_t>(c)];
  return {.row = (in_mcu - w.first) / w.plane.blocks - w.rows.begin,
          .column = (in_mcu - w.first) % w.plane.blocks - w.columns.begin,
          .down = w.plane.block_rows,
          .across = w.plane.blocks,
          .rows = static_cast<uint32_t>(w.rows.end - w.rows.begin),
          .columns = static_cast<uint32_t>(w.columns.end - w.columns.begin),
          .before = w.blocks_before};
}

/// An MCU of the file, on the way from one to the next.
struct Mcu {
  int row, column;

  __device__ Mcu(const ScanJob& job, uint32_t block)
      : row(static_cast<int>(block) / job.mcu_blocks / job.mcu_columns),
        column(static_cast<int>(block) / job.mcu_blocks % job.mcu_columns) {}
  __device__ void advance(int columns) {
    if (++column < columns) return;
    column = 0;
    ++row;
  }
  /// Which of the wanted blocks one of its blocks is.
  __device__ uint32_t wanted(const BlockPlace& p) const {
    const auto y = static_cast<uint32_t>(row * p.down + p.row), x = static_cast<uint32_t>(column * p.across + p.column);
    return y < p.rows && x < p.columns ? p.before + y * p.columns + x : kNotWanted;
  }
};

/// The blocks of a segment that are needed.
__device__ inline uint32_t needed_of(const Segment& segment, const ScanJob& job) {
  return min(segment.blocks, max(job.needed_blocks, segment.first_block) - segment.first_block);
}

/// Writes the values of the blocks that begin before `end`, by all threads of a warp together, also those that are not
/// `active`. A thread that begins within a block leaves that block to the thread which began it, and a thread that
/// begins a block goes on to its end. So each block belongs to one thread. `dc_of(difference)` says what to write for
/// the DC difference of the block that has ended.
/// @return false where the bits are not as an encoder writes them
template <class DcOf>
__device__ inline bool write_values(bool active, Reader& reader, uint32_t end, const ScanJob& job,
                                    const Segment& segment, const Targets& targets, const WarpBlocks& warp_blocks,
                                    DcOf&& dc_of) {
  const Walk& walk = reader.walk;
  Mcu mcu(job, segment.first_block + walk.blocks);
  const uint32_t needed = needed_of(segment, job);
  bool begun = walk.position() == 0;
  uint32_t wanted = begun ? mcu.wanted(targets.places[walk.in_mcu]) : kNotWanted, seen = 0;
  int difference = 0;
  const auto take = [&](Entry entry, uint32_t bits) {
    seen |= entry.bits;
    const int value = codec::jpeg::value_of(bits << entry.code(), entry.size());
    if (walk.position() == 0) difference = value;
    if (entry.size() != 0 && wanted != kNotWanted)
      warp_blocks.set(targets.order[walk.position_behind(entry.distance()) - 1], value);
  };
  const bool mine = active;
  do {
    bool done = false;
#pragma unroll 1
    for (int i = 0; i < kSymbolsAtATime && active && !done; ++i) {
      done = reader.read(take);
      active = done || !walk.there();
    }
    warp_blocks.write(done && wanted != kNotWanted, job.coefficients, wanted);
    if (!done) continue;
    if (begun) job.dc[segment.first_block + walk.blocks - 1] = static_cast<int16_t>(dc_of(difference));
    begun = true;
    active = walk.blocks < needed && walk.bit() < end;
    if (walk.in_mcu == 0) mcu.advance(job.mcu_columns);
    wanted = mcu.wanted(targets.places[walk.in_mcu]);
  } while (__any_sync(kAllLanes, active));
  const bool whole = walk.position() == 0 && (walk.blocks < segment.blocks || walk.bit() <= segment.end);
  return !mine || (whole && !Entry(seen).none());
}

/// Counts the blocks of the segment before the piece. @return false where the segment has too few
__device__ inline bool count_blocks(const Team& team, const Piece& piece, uint32_t share, Start& start, Way& way) {
  const uint32_t first = piece.segment.first_piece;
  const uint32_t in_segments_before = *team.at(first / share, &way.blocks_before[first % share]);
  start.at.blocks = way.blocks_before[threadIdx.x] - in_segments_before;
  return piece.number + 1 < piece.pieces || start.at.blocks + start.blocks >= piece.segment.blocks;
}

/// The values of a piece whose beginning those before it have found, if they have.
/// @return false where the bits are not as an encoder writes them
__device__ inline bool write_piece(bool known, const Cursor& at, const ScanJob& job, const Piece& piece,
                                   const SymbolTables& tables, const Targets& targets, const WarpBlocks& warp_blocks) {
  const uint32_t end = piece.end_of(piece.number, job);
  const bool active = known && at.blocks < needed_of(piece.segment, job) && (at.position != 0 || at.bit < end);
  const auto as_it_is = [](int difference) { return difference; };
  Reader reader(at, min(end + kMostBlockBits, piece.segment.end), job, tables);
  return write_values(active, reader, end, job, piece.segment, targets, warp_blocks, as_it_is);
}

/// The values of a run, whose beginning is known, with the DC values before it.
/// @param segment a copy: what lies in memory is read anew after each store
/// @return false where the bits are not as an encoder writes them
__device__ inline bool write_run(bool active, const ScanJob& job, const Segment segment, const SymbolTables& tables,
                                 const Targets& targets, const WarpBlocks& warp_blocks) {
  int dc[ScanJob::kMaxPlanes] = {segment.dc[0], segment.dc[1], segment.dc[2]};
  bool good = true;
  Reader reader({.bit = segment.begin}, segment.end, job, tables);
  const auto sum = [&](int difference) {
    const int component = job.component_of[(reader.walk.in_mcu == 0 ? job.mcu_blocks : reader.walk.in_mcu) - 1];
    int value = 0;
#pragma unroll
    for (int c = 0; c < ScanJob::kMaxPlanes; ++c)  // so that they stay in registers
      if (c == component) value = dc[c] += difference;
    good &= value == static_cast<int16_t>(value);
    return value;
  };
  good &= write_values(active, reader, segment.end, job, segment, targets, warp_blocks, sum);
  return good && (!active || reader.walk.blocks == segment.blocks);
}

/// Runs are fewer than threads, often: they are spread over the thread blocks, and over the warps of each.
__device__ inline bool write_own_run(const Team& team, const ScanJob& job, const SymbolTables& tables,
                                     const Targets& targets, const WarpBlocks& warp_blocks) {
  const uint32_t share = share_of(team, job.pieces), apart = max(kScanThreads / share, 1U);
  const uint32_t own = threadIdx.x / apart, run = team.rank() * share + own;
  const bool active = threadIdx.x % apart == 0 && own < share && run < job.pieces;
  return write_run(active, job, active ? job.segments[run] : Segment{}, tables, targets, warp_blocks);
}

}  // namespace penstock::cuda

// Where the coefficients of a scan's blocks go, and the passes that write them: of pieces, and of runs.
#pragma once

#include <cstdint>

#include "codec/jpeg/scan_job.h"
#include "cuda/jpeg_step.cuh"
#include "cuda/jpeg_symbols.cuh"
#include "cuda/jpeg_way.cuh"
#include "cuda/team.cuh"

namespace penstock::cuda {

using codec::jpeg::WantedPlane;

/// Where the wanted blocks lie that are a certain one of their MCU. Divisions for every block took as long as decoding
/// it.
struct BlockPlace {
  uint32_t rows, columns;  // of wanted blocks; none: no rows
  int row, column;         // of the first MCU's, counted from the first wanted one
  int down, across;        // from MCU to MCU
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
  return {.rows = static_cast<uint32_t>(w.rows.end - w.rows.begin),
          .columns = static_cast<uint32_t>(w.columns.end - w.columns.begin),
          .row = (in_mcu - w.first) / w.plane.blocks - w.rows.begin,
          .column = (in_mcu - w.first) % w.plane.blocks - w.columns.begin,
          .down = w.plane.block_rows,
          .across = w.plane.blocks,
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
  /// Where to put the coefficients of one of its blocks; null where they are not wanted.
  __device__ int16_t* coefficients_of(const BlockPlace& p, int16_t* first) const {
    const auto y = static_cast<uint32_t>(row * p.down + p.row), x = static_cast<uint32_t>(column * p.across + p.column);
    return y < p.rows && x < p.columns ? first + (size_t{p.before} + y * p.columns + x) * 64 : nullptr;
  }
};

/// Writes values up to `end`. `dc_of(value, in_mcu)` says what to write for a DC difference.
/// @return false where the bits are not as an encoder writes them
template <class DcOf>
__device__ inline bool write_values(Reader& reader, uint32_t end, const ScanJob& job, const Segment& segment,
                                    const Targets& targets, DcOf&& dc_of) {
  bool good = true;
  const Cursor& at = reader.at;
  Mcu mcu(job, segment.first_block + at.blocks);
  const int mcu_columns = job.mcu_columns;
  int16_t* coefficients = job.coefficients;
  int16_t* dc = job.dc + segment.first_block;
  int16_t* values = mcu.coefficients_of(targets.places[at.in_mcu], coefficients);
  const auto take = [&](const Cursor& now, Entry entry, uint32_t bits) {
    good &= !entry.none();
    const int value = codec::jpeg::value_of(bits << entry.code(), entry.size());
    if (now.position == 0)
      dc[now.blocks] = static_cast<int16_t>(dc_of(value, now.in_mcu));
    else if (entry.size() && values)
      __stcg(values + targets.order[now.position + entry.advance() - 1], static_cast<int16_t>(value));
  };
  const auto end_block = [&](const Cursor& now) {
    if (now.blocks == segment.blocks) {
      good &= now.bit <= segment.end;
      return true;
    }
    if (now.in_mcu == 0) mcu.advance(mcu_columns);
    values = mcu.coefficients_of(targets.places[now.in_mcu], coefficients);
    return false;
  };
  reader.read(end, take, end_block);
  return good;
}

/// The values of a piece whose beginning those before it have found.
/// @return false where the bits are not as an encoder writes them
__device__ inline bool write_piece(const Team& team, const ScanJob& job, const Piece& piece, Start start,
                                   const SymbolTables& tables, const Targets& targets, Way& way) {
  const Segment& segment = piece.segment;
  const uint32_t first = segment.first_piece, t = threadIdx.x;
  const uint32_t in_segments_before = *team.at(first / kScanThreads, &way.blocks_before[first % kScanThreads]);
  Cursor at = start.at;
  at.blocks = way.blocks_before[t] - in_segments_before;
  const bool good = piece.number + 1 < piece.pieces || at.blocks + start.blocks >= segment.blocks;
  if (at.blocks >= segment.blocks) return good;
  const auto difference = [](int value, uint32_t) { return value; };
  Reader reader(at, job, tables);
  return write_values(reader, piece.end_of(piece.number, job), job, segment, targets, difference) && good;
}

/// The values of a run, whose beginning is known, with the DC values before it.
/// @param segment a copy: what lies in memory is read anew after each store
/// @return false where the bits are not as an encoder writes them
__device__ inline bool write_run(const ScanJob& job, const Segment segment, const SymbolTables& tables,
                                 const Targets& targets) {
  int dc[ScanJob::kMaxPlanes] = {segment.dc[0], segment.dc[1], segment.dc[2]};
  bool good = true;
  const auto sum = [&](int difference, uint32_t in_mcu) {
    const int component = job.component_of[in_mcu];
    int value = 0;
#pragma unroll
    for (int c = 0; c < ScanJob::kMaxPlanes; ++c)  // so that they stay in registers
      if (c == component) value = dc[c] += difference;
    good &= value == static_cast<int16_t>(value);
    return value;
  };
  Reader reader({.bit = segment.begin}, job, tables);
  good &= write_values(reader, segment.end, job, segment, targets, sum);
  return good && reader.at.blocks == segment.blocks;
}

/// Runs are fewer than threads, often: they are spread over the thread blocks, and over the warps of each.
__device__ inline bool write_own_run(const Team& team, const ScanJob& job, const SymbolTables& tables,
                                     const Targets& targets) {
  const uint32_t share = (job.pieces + team.size() - 1) / team.size(), apart = max(kScanThreads / share, 1U);
  const uint32_t own = threadIdx.x / apart, run = team.rank() * share + own;
  if (threadIdx.x % apart != 0 || own >= share || run >= job.pieces) return true;
  return write_run(job, job.segments[run], tables, targets);
}

}  // namespace penstock::cuda

// Entropy decoding of a batch of scans, a thread block each, or several where there are few scans; see
// codec/jpeg/pieces.h for the idea. Each thread takes a piece: it decodes it from its first bit, then goes on into the
// next ones until it is in step with another thread. A sum over the pieces says which threads were right, another one
// where their blocks lie; a last pass writes values. Where checkpoints say how pieces begin (they are runs then), only
// the last pass is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "codec/jpeg/scan_job.h"
#include "cuda/jpeg/entropy/blocks.cuh"
#include "cuda/jpeg/entropy/dc.cuh"
#include "cuda/jpeg/entropy/step.cuh"
#include "cuda/jpeg/entropy/symbols.cuh"
#include "cuda/jpeg/entropy/values.cuh"
#include "cuda/jpeg/entropy/way.cuh"
#include "cuda/support/load.cuh"
#include "cuda/support/team.cuh"

namespace penstock::cuda {

__device__ constexpr auto kOrder = codec::jpeg::make_natural_order();

/// What a thread block has in shared memory.
struct EntropyMemory {
  ScanJob job;
  CodeTables::Codes codes;
  SymbolTables tables;
  Way way;
  int dc_sums[ScanJob::kMaxPlanes][kScanWarps];
  bool dc_restarts[ScanJob::kMaxPlanes][kScanWarps];
  Targets targets;

  /// For how many thread blocks share a scan, and for as many warps that collect blocks: a thread block's nodes lie
  /// behind it, and then the blocks.
  static constexpr size_t bytes(uint32_t team, uint32_t warps) {
    return sizeof(EntropyMemory) +
           std::max(Nodes::most(team) * kScanThreads * sizeof(Node), size_t{warps} * WarpBlocks::kBytes);
  }
};

/// DC differences to DC values; the thread blocks of a team share the components.
__device__ inline bool sum_dc(const Team& team, const ScanJob& job, EntropyMemory& shared) {
  const uint32_t warp = threadIdx.x / 32;
  const auto planes = static_cast<uint32_t>(job.planes);
  for (uint32_t c = team.rank(); c < planes; c += team.size())
    sum_stretch(DcRow(job, job.wanted[c]), shared.dc_sums[c][warp], shared.dc_restarts[c][warp]);
  __syncthreads();
  bool good = true;
  for (uint32_t c = team.rank(); c < planes; c += team.size()) {
    int sum = 0;
    for (uint32_t w = warp; w-- > 0;) {
      sum += shared.dc_sums[c][w];
      if (shared.dc_restarts[c][w]) break;
    }
    good &= add_up_stretch(DcRow(job, job.wanted[c]), sum);
  }
  return good;
}

/// `write(blocks)` by all warps, `warps` at a time.
template <class Write>
__device__ inline void in_turns(uint4* memory, uint32_t warps, Write&& write) {
  const uint32_t warp = threadIdx.x / 32;
  for (uint32_t first = 0; first < kScanWarps; first += warps) {
    if (warp - first < warps) write(WarpBlocks(memory + (warp - first) * (WarpBlocks::kBytes / sizeof(uint4))));
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kScanThreads) entropy_kernel(const ScanJob* jobs, uint32_t warps) {
  EntropyMemory& shared = *reinterpret_cast<EntropyMemory*>(shared_memory());
  ScanJob& job = shared.job;
  const Team team;
  copy_by<uint32_t>(job, jobs + team.number());
  if (threadIdx.x < sizeof(shared.targets.order)) shared.targets.order[threadIdx.x] = kOrder[threadIdx.x];
  __syncthreads();
  if (job.pieces == 0) return;
  if (threadIdx.x < static_cast<unsigned>(job.mcu_blocks))
    shared.targets.places[threadIdx.x] = place_in_mcu(job, static_cast<int>(threadIdx.x));
  copy_by<uint32_t>(shared.codes, job.codes);
  __syncthreads();
  if (job.runs)
    build_tables<Use::kTake>(shared.tables, shared.codes, job);
  else
    build_tables<Use::kPass>(shared.tables, shared.codes, job);
  auto* const rest = reinterpret_cast<uint4*>(&shared + 1);
  bool good = true;
  __syncthreads();
  if (job.runs) {
    in_turns(rest, warps, [&](const WarpBlocks& warp_blocks) {
      good = write_own_run(team, job, shared.tables, shared.targets, warp_blocks);
    });
    if (!good) store_now(*job.refused, 1);
    return;
  }
  const bool mine = has_piece(team, job);
  const Piece piece = mine ? find_piece(team, job) : Piece{};
  const Nodes nodes(team, reinterpret_cast<Node*>(rest));
  const uint32_t blocks = fall_into_step(team, job, piece, mine, shared.tables, nodes);
  Start start = find_start(team, job, piece, mine, blocks, nodes, shared.way);
  build_tables<Use::kTake>(shared.tables, shared.codes, job);
  sum_blocks(team, start.blocks, shared.way);
  good = start.known ? count_blocks(team, piece, share_of(team, job.pieces), start, shared.way) : !mine;
  // Blocks lie where nodes were. The piece and the team are found again: kept, they would not fit into the registers.
  in_turns(rest, warps, [&](const WarpBlocks& warp_blocks) {
    const Team same_team;
    const Piece same = has_piece(same_team, job) ? find_piece(same_team, job) : Piece{};
    good &= write_piece(start.known, start.at, job, same, shared.tables, shared.targets, warp_blocks);
  });
  const Team same;
  same.sync();
  good &= sum_dc(same, job, shared);
  if (!good) store_now(*job.refused, 1);
  same.sync();  // others may look into this thread block's memory until then
}

}  // namespace penstock::cuda

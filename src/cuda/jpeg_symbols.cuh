// The symbols of a scan, one thread decoding one after the other from wherever it begins.
#pragma once

#include <cstdint>

#include "codec/jpeg/pieces.h"
#include "codec/jpeg/scan_job.h"
#include "cuda/team.cuh"

namespace penstock::cuda {

using codec::jpeg::CodeOrder;
using codec::jpeg::Coefficients;
using codec::jpeg::Cursor;
using codec::jpeg::Entry;
using codec::jpeg::EntryTable;
using codec::jpeg::ScanJob;

inline constexpr int kScanThreads = ScanJob::kThreads;  // of a thread block

/// What all Huffman codes of a scan mean, in shared memory.
struct SymbolTables {
  static constexpr int kCount = 2 * ScanJob::kTables;  // DC, then AC
  uint32_t entries[kCount][EntryTable::kSize];
  uint32_t first_long[kCount];
};
static_assert(ScanJob::kTables == 2);

/// Brings the thread block's part of the scan into its cache. 32 threads decode in 32 places: without this, one of them
/// waits for the second cache nearly every symbol, and the others with it.
__device__ inline void fetch_scan(const Team& team, const ScanJob& job) {
  constexpr uint32_t kMostWords = 36 << 10, kSector = 8;  // what the cache holds, and brings at a time, in words
  const uint32_t words = job.segments[job.segment_count - 1].end / 32, part = words / team.size() + kSector;
  if (part > kMostWords) return;
  const uint32_t begin = team.rank() * part, end = min(begin + part, words);
  uint32_t sum = 0;
#pragma unroll 4
  for (uint32_t i = begin + threadIdx.x * kSector; i < end; i += kScanThreads * kSector) sum ^= __ldg(job.words + i);
  asm volatile("" ::"r"(sum));  // somebody wants to know
}

__device__ inline void build_tables(SymbolTables& tables, const ScanJob& job) {
  __shared__ CodeOrder orders[SymbolTables::kCount];
  const int t = static_cast<int>(threadIdx.x);
  if (t < SymbolTables::kCount && job.codes[t].defined) {
    orders[t].build(job.codes[t], t < ScanJob::kTables ? Coefficients::kDc : Coefficients::kAc);
    tables.first_long[t] = EntryTable::first_long(orders[t]);
  }
  __syncthreads();
  for (int table = 0; table < SymbolTables::kCount; ++table) {
    if (!job.codes[table].defined) continue;
    const auto kind = table < ScanJob::kTables ? Coefficients::kDc : Coefficients::kAc;
    for (uint32_t i = threadIdx.x; i < EntryTable::kSize; i += kScanThreads)
      tables.entries[table][i] =
          entry_of(job.codes[table], orders[table], kind, EntryTable::bits_of(i, tables.first_long[table])).bits;
  }
}

__device__ inline uint32_t big_endian(uint32_t word) { return __byte_perm(word, 0, 0x0123); }

/// Decodes up to `end`. `take(cursor, entry, bits)` sees each symbol, `end_block(cursor)` each end of a block and
/// returns true to stop there.
template <class Take, class EndBlock>
__device__ inline void decode(Cursor& at, uint32_t end, const ScanJob& job, const SymbolTables& tables, Take&& take,
                              EndBlock&& end_block) {
  if (at.bit >= end) return;
  // In registers: looked up for every symbol.
  const uint32_t dc_tables = job.dc_tables, ac_tables = job.ac_tables, mcu_blocks = job.mcu_blocks;
  const uint32_t* words = job.words;
  const uint32_t long_dc[] = {tables.first_long[0], tables.first_long[1]};
  const uint32_t long_ac[] = {tables.first_long[2], tables.first_long[3]};
  uint32_t word = at.bit >> 5;
  // The word behind those in work is on its way: 3 to 14 % of all.
  uint32_t high = big_endian(__ldg(words + word)), low = big_endian(__ldg(words + word + 1));
  uint32_t next = __ldg(words + word + 2);
  while (at.bit < end) {
    const uint32_t bits = __funnelshift_l(low, high, at.bit & 31);
    const bool is_ac = at.position != 0, second = ((is_ac ? ac_tables : dc_tables) >> at.in_mcu & 1) != 0;
    const uint32_t first_long = is_ac ? second ? long_ac[1] : long_ac[0] : second ? long_dc[1] : long_dc[0];
    const uint32_t* entries = tables.entries[(is_ac ? ScanJob::kTables : 0) + (second ? 1 : 0)];
    const Entry entry{entries[EntryTable::index_of(bits >> 16, first_long)]};
    take(at, entry, bits);
    const bool done = at.pass(entry, mcu_blocks);
    if (done && end_block(at)) return;
    if (at.bit >> 5 != word) {  // by one: a symbol has 27 bits at most
      word = at.bit >> 5;
      high = low;
      low = big_endian(next);
      next = __ldg(words + word + 2);
    }
  }
}

__device__ inline void follow(Cursor& at, uint32_t end, const ScanJob& job, const SymbolTables& tables) {
  decode(
      at, end, job, tables, [](const Cursor&, Entry, uint32_t) {}, [](const Cursor&) { return false; });
}

}  // namespace penstock::cuda

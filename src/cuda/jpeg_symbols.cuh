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
using codec::jpeg::OrderedCode;
using codec::jpeg::ScanJob;
using codec::jpeg::Step;

inline constexpr int kScanThreads = ScanJob::kThreads;  // of a thread block

/// Where a table of codes lies.
struct Lookup {
  uint32_t first_long, first_entry;

  __device__ uint32_t index_of(uint32_t sixteen_bits) const {
    return first_entry + EntryTable::index_of(sixteen_bits, first_long);
  }
};

/// The tables of a block of the MCU: for what follows in it, and for the block behind it.
struct alignas(16) BlockTables {
  Lookup ac, next_dc;
};

/// What all Huffman codes of a scan mean, in shared memory.
struct SymbolTables {
  static constexpr int kCount = 2 * ScanJob::kTables;  // DC, then AC
  BlockTables blocks[codec::jpeg::kMaxMcuBlocks];
  uint32_t entries[kCount][EntryTable::kSize];
};
static_assert(ScanJob::kTables == 2);

/// From the GPU's memory to the thread block's.
template <class T>
__device__ inline void copy_words(T& to, const T* from) {
  static_assert(sizeof(T) % sizeof(uint32_t) == 0);
  for (uint32_t i = threadIdx.x; i < sizeof(T) / sizeof(uint32_t); i += kScanThreads)
    reinterpret_cast<uint32_t*>(&to)[i] = reinterpret_cast<const uint32_t*>(from)[i];
}

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

/// What a table's entries are for: to pass over symbols, or to take their values.
enum class Use { kPass, kTake };

using OrderedCodes = OrderedCode[SymbolTables::kCount];

template <Use kUse>
__device__ inline void build_tables(SymbolTables& tables, const OrderedCodes& codes, const ScanJob& job) {
  const auto lookup = [&](uint32_t kind, uint32_t chosen, uint32_t in_mcu) {
    const uint32_t table = kind + (chosen >> in_mcu & 1);
    return Lookup{EntryTable::first_long(codes[table].order), table * EntryTable::kSize};
  };
  const uint32_t t = threadIdx.x, mcu_blocks = job.mcu_blocks;
  if (t < mcu_blocks)
    tables.blocks[t] = {lookup(ScanJob::kTables, job.ac_tables, t),
                        lookup(0, job.dc_tables, t + 1 == mcu_blocks ? 0 : t + 1)};
  for (int table = 0; table < SymbolTables::kCount; ++table) {
    const auto& [code, order] = codes[table];
    if (!code.defined) continue;
    const CodeOrder here = order;  // lengths in registers; of the rest one place is looked up
    const auto entry_at = [&](uint32_t bits, Coefficients kind) {
      return entry_of(code, order.code_of(here.length_of(bits, 1), bits), kind);
    };
    const uint32_t first_long = EntryTable::first_long(here);
    const auto kind = table < ScanJob::kTables ? Coefficients::kDc : Coefficients::kAc;
    for (uint32_t i = threadIdx.x; i < EntryTable::kSize; i += kScanThreads) {
      const uint32_t bits = EntryTable::bits_of(i, first_long);
      tables.entries[table][i] = kUse == Use::kTake ? entry_at(bits, kind).bits
                                                    : step_of(entry_at, kind, bits, EntryTable::bits_known(i)).bits;
    }
  }
}

__device__ inline uint32_t big_endian(uint32_t word) { return __byte_perm(word, 0, 0x0123); }

/// A thread that reads the symbols of a scan, one after the other.
class Reader {
 public:
  __device__ Reader(Cursor from, const ScanJob& job, const SymbolTables& tables)
      : at(from),
        words_(job.words),
        mcu_blocks_(job.mcu_blocks),
        tables_(tables),
        block_(tables.blocks[at.in_mcu]),
        lookup_(at.position != 0 ? block_.ac : tables.blocks[(at.in_mcu == 0 ? mcu_blocks_ : at.in_mcu) - 1].next_dc),
        word_(at.bit >> 5),
        high_(big_endian(__ldg(words_ + word_))),
        low_(big_endian(__ldg(words_ + word_ + 1))),
        next_(__ldg(words_ + word_ + 2)) {}

  /// Up to `end`. `take(cursor, entry, bits)` sees each symbol, `end_block(cursor)` each end of a block and returns
  /// true to stop there.
  template <class Take, class EndBlock>
  __device__ void read(uint32_t end, Take&& take, EndBlock&& end_block) {
    while (at.bit < end) {
      const uint32_t bits = __funnelshift_l(low_, high_, at.bit & 31);
      const Entry entry{tables_.entries[0][lookup_.index_of(bits >> 16)]};
      take(at, entry, bits);
      const bool done = at.pass(entry, mcu_blocks_);
      lookup_ = done ? block_.next_dc : block_.ac;  // both are there: to find out which table is next takes longest
      if (at.bit >> 5 != word_) advance();
      if (done) {
        block_ = tables_.blocks[at.in_mcu];
        if (end_block(at)) return;
      }
    }
  }
  /// The same without a look at symbols, by tables for that.
  __device__ void pass(uint32_t end) {
    while (at.bit < end) {
      const uint32_t bits = __funnelshift_l(low_, high_, at.bit & 31);
      const bool done = at.pass(Step(tables_.entries[0][lookup_.index_of(bits >> 16)]), end, mcu_blocks_);
      lookup_ = done ? block_.next_dc : block_.ac;
      if (at.bit >> 5 != word_) advance();
      if (done) block_ = tables_.blocks[at.in_mcu];
    }
  }

  Cursor at;

 private:
  /// To the next word; a symbol has 27 bits at most, two that are one entry's have fewer. Only who needs one loads it: 32 loads from 32 places take as long
  /// as decoding.
  __device__ void advance() {
    word_ = at.bit >> 5;
    high_ = low_;
    low_ = big_endian(next_);
    next_ = __ldg(words_ + word_ + 2);  // on its way while the others are in work: 3 to 14 %
  }

  const uint32_t* const words_;
  const uint32_t mcu_blocks_;
  const SymbolTables& tables_;
  BlockTables block_;
  Lookup lookup_;
  uint32_t word_, high_, low_, next_;
};

}  // namespace penstock::cuda

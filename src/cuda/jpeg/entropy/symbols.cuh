// The symbols of a scan, one thread decoding one after the other from wherever it begins.
#pragma once

#include <cstdint>

#include "codec/jpeg/entry_table.h"
#include "codec/jpeg/pieces.h"
#include "codec/jpeg/scan_job.h"
#include "cuda/support/load.cuh"
#include "cuda/support/team.cuh"

namespace penstock::cuda {

using codec::jpeg::CodeOrder;
using codec::jpeg::CodeTables;
using codec::jpeg::Coefficients;
using codec::jpeg::Cursor;
using codec::jpeg::Entry;
using codec::jpeg::EntryTable;
using codec::jpeg::ScanJob;
using codec::jpeg::Step;
using codec::jpeg::Use;
using codec::jpeg::Walk;

inline constexpr int kScanThreads = ScanJob::kThreads;  // of a thread block

/// The tables of a block of the MCU: for what follows in it, and for the block behind it.
struct alignas(16) BlockTables {
  EntryTable ac, next_dc;
};

/// What all Huffman codes of a scan mean, in shared memory.
struct SymbolTables {
  BlockTables blocks[codec::jpeg::kMaxMcuBlocks];
  alignas(16) CodeTables::Entries entries;
};
static_assert(CodeTables::kOfAKind == 2);  // a bit of the job says which

/// From the GPU's memory to the thread block's, in units for which both are aligned.
template <class Unit, class T>
__device__ inline void copy_by(T& to, const T* from) {
  static_assert(sizeof(T) % sizeof(Unit) == 0);
  for (uint32_t i = threadIdx.x; i < sizeof(T) / sizeof(Unit); i += kScanThreads)
    reinterpret_cast<Unit*>(&to)[i] = reinterpret_cast<const Unit*>(from)[i];
}

template <Use kUse>
__device__ inline void build_tables(SymbolTables& tables, const CodeTables::Codes& codes, const ScanJob& job) {
  const auto table_of = [&](uint32_t kind, uint32_t chosen, uint32_t in_mcu) {
    const uint32_t table = kind + (chosen >> in_mcu & 1);
    return EntryTable(codes[table].order, table * EntryTable::kSize);
  };
  const uint32_t t = threadIdx.x, mcu_blocks = job.mcu_blocks;
  if (t < mcu_blocks)
    tables.blocks[t] = {table_of(CodeTables::kOfAKind, job.ac_tables, t),
                        table_of(0, job.dc_tables, t + 1 == mcu_blocks ? 0 : t + 1)};
  if (job.entries) return copy_by<uint4>(tables.entries, &job.entries[static_cast<int>(kUse)]);
  for (int table = 0; table < CodeTables::kCount; ++table) {
    const auto& code = codes[table].code;
    const auto& order = codes[table].order;
    if (!code.defined) continue;
    const CodeOrder here = order;  // lengths in registers; of the rest one place is looked up
    const auto entry_at = [&](uint32_t bits, Coefficients kind) {
      return entry_of(code, order.code_of(here.length_of(bits, 1), bits), kind);
    };
    uint32_t* const entries = tables.entries.data() + table * EntryTable::kSize;
    for (uint32_t i = threadIdx.x; i < EntryTable::size(here); i += kScanThreads)
      entries[i] = codec::jpeg::table_entry<kUse>(entry_at, CodeTables::kind_of(table), here, i);
  }
}

__device__ inline uint32_t big_endian(uint32_t word) { return __byte_perm(word, 0, 0x0123); }

/// A thread that reads the symbols of a scan, one after the other. What the next one's bits mean is looked up as soon
/// as it is known where they are, and all else that a step has to do is done meanwhile.
class Reader {
 public:
  __device__ Reader(const Cursor& from, uint32_t end, const ScanJob& job, const SymbolTables& tables)
      : walk(from, end),
        mcu_blocks_(job.mcu_blocks),
        tables_(tables),
        block_(tables.blocks[from.in_mcu]),
        pairs_(reinterpret_cast<const uint2*>(job.words)),
        pair_(from.bit / 64) {
    const uint2 first = __ldg(pairs_ + pair_);
    next_ = __ldg(pairs_ + pair_ + 1);
    pair_ += 2;
    high_ = big_endian(from.bit & 32 ? first.y : first.x);
    low_ = big_endian(from.bit & 32 ? next_.x : first.y);
    look_up(from.position != 0 ? block_.ac : tables.blocks[(from.in_mcu == 0 ? mcu_blocks_ : from.in_mcu) - 1].next_dc);
  }

  /// Up to an end, without a look at symbols, by tables for that.
  __device__ void pass(uint32_t end) {
    walk.head_for(end);
    while (!walk.there()) step([&] { return walk.pass(Step(found_), mcu_blocks_); });
  }
  /// A symbol on; `take(entry, bits)` sees it. @return whether it ended the block
  template <class Take>
  __device__ bool read(Take&& take) {
    return step([&] {
      take(Entry(found_), bits_);
      return walk.pass(Entry(found_).distance(), mcu_blocks_);
    });
  }

  Walk walk;

 private:
  /// `pass()` goes on by what was found, and returns true where that ended the block.
  template <class Pass>
  __device__ bool step(Pass&& pass) {
    const uint32_t before = walk.low_bits();
    const bool done = pass();
    advance(before, walk.low_bits());
    look_up(done ? block_.next_dc : block_.ac);  // both are there: to find out which is next takes longest
    load_if(done ? 1 : 0, block_, tables_.blocks[walk.in_mcu]);
    return done;
  }

  __device__ void look_up(EntryTable table) {
    bits_ = __funnelshift_l(low_, high_, walk.low_bits());
    found_ = tables_.entries[table.index_of(bits_)];
  }

  /// To the next word, if it is another one; an entry stands for 27 bits at most. Two words are loaded at a time, long
  /// before they are needed: 32 loads from 32 places take as long as decoding.
  __device__ void advance(uint32_t before, uint32_t here) {
    const uint32_t second = before & ~here & 32;  // of the two
    const uint32_t word = big_endian((here & 32) != 0 ? next_.x : next_.y);
    if (((before ^ here) & 32) != 0) {
      high_ = low_;
      low_ = word;
    }
    load_if(second, next_, pairs_ + pair_);
    pair_ += second / 32;
  }

  const uint32_t mcu_blocks_;
  const SymbolTables& tables_;
  BlockTables block_;
  const uint2* const pairs_;
  uint32_t pair_, high_, low_;
  uint32_t bits_, found_;  // the next ones, and what they mean
  uint2 next_;
};

}  // namespace penstock::cuda

// What the next bits of a scan mean, by tables small enough for a multiprocessor's shared memory: one symbol
// for a caller that takes its value, one or two for a caller that only passes over them. Shared with CUDA: no
// allocation, no exceptions.
#pragma once

#include <cstdint>

#include "codec/jpeg/huffman.h"

namespace penstock::codec::jpeg {

/// How far symbols lead, in one number: bits, and positions in the block times 2^24.
struct Distance {
  static constexpr int kPosition = 24;
  static constexpr uint32_t kBlock = 64;  ///< positions
  uint32_t sum = 0;

  constexpr Distance(uint32_t bits, uint32_t positions) : sum(bits | positions << kPosition) {}
  /// From two of four bytes.
  static constexpr Distance from_bytes(uint32_t bytes, uint32_t first) {
    Distance found(bytes >> (8 * first) & 255, bytes >> (8 * first + 8) & 255);
#ifdef __CUDA_ARCH__
    found.sum = __byte_perm(bytes, 0, 0x1440 + first * 0x1001);  // one instruction; compilers make three of the above
#endif
    return found;
  }
  constexpr uint32_t bytes() const { return bits() | positions() << 8; }
  constexpr uint32_t bits() const { return sum & 255; }
  constexpr uint32_t positions() const { return sum >> kPosition; }
};

/// What a code means, in 32 bits, small enough for tables in a multiprocessor's shared memory. Bits: 0-15 how far the
/// symbol leads; 16-22 bits of the value; 23 no code; 24-31 bits of the code.
struct Entry {
  uint32_t bits = 0;

  static constexpr uint32_t kNoCode = 1 << 23;
  constexpr explicit Entry(uint32_t all) : bits(all) {}
  constexpr Entry(uint32_t code, Symbol symbol)
      : Entry(code, static_cast<uint32_t>(symbol.size), static_cast<uint32_t>(symbol.advance)) {}
  constexpr Distance distance() const { return Distance::from_bytes(bits, 0); }
  constexpr uint32_t size() const { return bits >> 16 & 127; }
  constexpr uint32_t code() const { return bits >> 24; }
  constexpr bool none() const { return (bits & kNoCode) != 0; }

 private:
  constexpr Entry(uint32_t code, uint32_t size, uint32_t advance)
      : bits(Distance(code + size, advance < Distance::kBlock ? advance : Distance::kBlock).bytes() | size << 16 |
             code << 24) {}
};

/// Bits that are no code take one bit and end the block: a false start must go on.
constexpr Entry entry_of(const HuffmanCode& code, CodeOrder::Code found, Coefficients kind) {
  const auto [length, index] = found;
  if (length == 0) return Entry(Entry(1, {0, Word::kEndOfBlock}).bits | Entry::kNoCode);
  return {static_cast<uint32_t>(length), meaning(kind, code.symbols[static_cast<size_t>(index)])};
}

/// For a caller that only passes over symbols: how far the next symbol leads, and how far it and the one behind it lead
/// where the code of the latter is known, too; 16 bits each.
struct Step {
  uint32_t bits = 0;

  constexpr Step(Distance one, Distance two) : bits(one.bytes() | two.bytes() << 16) {}
  constexpr explicit Step(uint32_t all) : bits(all) {}
  constexpr Distance one() const { return Distance::from_bytes(bits, 0); }
  constexpr Distance two() const { return Distance::from_bytes(bits, 2); }
};

/// @param entry_at (sixteen bits, kind) -> Entry
/// @param known how many of the sixteen bits the index holds; the others are 0
template <class EntryAt>
constexpr Step step_of(EntryAt&& entry_at, Coefficients kind, uint32_t sixteen_bits, uint32_t known) {
  const Entry entry = entry_at(sixteen_bits, kind);
  const Distance one = entry.distance();
  // Behind a DC value the codes are another table's; behind the end of a block, too.
  if (kind == Coefficients::kDc || one.positions() >= Distance::kBlock || one.bits() >= known) return {one, one};
  const Entry next = entry_at(sixteen_bits << one.bits() & 0xFFFF, kind);
  if (next.none() || one.bits() + next.code() > known) return {one, one};
  return {one, Distance::from_bytes(one.bytes() + next.distance().bytes(), 0)};
}

/// Two levels: codes of up to kShortBits bits by these bits; longer ones, which are the highest as numbers, by what all
/// their 16 bits are beyond the first of them. Long ones follow where the short ones end: whichever index is the
/// greater is the one.
class EntryTable {
 public:
  static constexpr int kShortBits = 10;
  static constexpr uint32_t kLong = 1024, kSize = (1 << kShortBits) + kLong;

  /// @param first where the table begins in a memory of several
  constexpr EntryTable(const CodeOrder& order, uint32_t first)
      : first_(static_cast<int32_t>(first)),
        long_first_(static_cast<int32_t>(first) - static_cast<int32_t>(first_long(order) - shorts(order))) {}
  constexpr uint32_t index_of(uint32_t bits) const {
    const auto by_short = static_cast<int32_t>(bits >> (32 - kShortBits)) + first_;
    const auto by_all = static_cast<int32_t>(bits >> 16) + long_first_;
    return static_cast<uint32_t>(by_short > by_all ? by_short : by_all);
  }

  /// The first of the numbers of 16 bits that begin with a long code.
  static constexpr uint32_t first_long(const CodeOrder& order) { return order.end_of(kShortBits); }
  static constexpr uint32_t shorts(const CodeOrder& order) { return first_long(order) >> (16 - kShortBits); }
  /// False for codes, never seen in a picture, of which too many are long.
  static constexpr bool fits(const CodeOrder& order) { return (1 << 16) - first_long(order) <= kLong; }
  static constexpr uint32_t size(const CodeOrder& order) { return shorts(order) + (1 << 16) - first_long(order); }
  /// The 16 bits that entry `i` stands for, its first 16 bits where it stands for more.
  static constexpr uint32_t bits_of(uint32_t i, const CodeOrder& order) {
    return i < shorts(order) ? i << (16 - kShortBits) : first_long(order) + i - shorts(order);
  }
  /// How many of those bits it stands for.
  static constexpr uint32_t bits_known(uint32_t i, const CodeOrder& order) {
    return i < shorts(order) ? kShortBits : 16;
  }

 private:
  int32_t first_ = 0, long_first_ = 0;
};

/// What a table's entries are for: to pass over symbols, or to take their values.
enum class Use { kPass, kTake };

/// Entry `i` of a code's table. @param entry_at (sixteen bits, kind) -> Entry
template <Use kUse, class EntryAt>
constexpr uint32_t table_entry(EntryAt&& entry_at, Coefficients kind, const CodeOrder& order, uint32_t i) {
  const uint32_t bits = EntryTable::bits_of(i, order);
  if constexpr (kUse == Use::kTake)
    return entry_at(bits, kind).bits;
  else
    return step_of(entry_at, kind, bits, EntryTable::bits_known(i, order)).bits;
}

/// A value's bits, of which those that begin with 0 are negative. `bits`: the value's first bit is the highest.
constexpr int value_of(uint32_t bits, uint32_t size) {
  return static_cast<int>((bits >> 1) >> (31 - size)) + (bits >> 31 != 0 ? 0 : 1 - (1 << size));
}

}  // namespace penstock::codec::jpeg

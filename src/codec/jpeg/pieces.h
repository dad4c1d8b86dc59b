// Huffman decoding that may begin anywhere. A scan is cut into pieces; whoever takes one begins at its first bit
// without knowing what that bit belongs to, and falls into step with the true symbols sooner or later, since the codes
// synchronise themselves. One that ends its piece in the state in which another one began the next has confirmed it.
// (Weissenberger and Schmidt, Accelerating JPEG Decompression on GPUs, 2021, arXiv 2111.09219.)
// Shared with CUDA: no allocation, no exceptions.
#pragma once

#include <cstdint>

#include "codec/jpeg/huffman.h"

namespace penstock::codec::jpeg {

/// What a code means, in 32 bits, small enough for tables in a multiprocessor's shared memory. Bits: 0-5 bits taken in
/// all; 7 no code; 8-15 bits of the value; 16-23 positions to advance; 24-31 bits of the code.
struct Entry {
  uint32_t bits = 0;

  static constexpr uint32_t kNoCode = 0x80;
  constexpr uint32_t total() const { return bits & 63; }
  constexpr uint32_t size() const { return bits >> 8 & 255; }
  constexpr uint32_t advance() const { return bits >> 16 & 255; }
  constexpr uint32_t code() const { return bits >> 24; }
  constexpr bool none() const { return (bits & kNoCode) != 0; }
};

/// Bits that are no code take one bit and end the block: a false start must go on.
constexpr Entry entry_of(const HuffmanCode& code, CodeOrder::Code found, Coefficients kind) {
  const auto [length, index] = found;
  if (length == 0) return {1 | Entry::kNoCode | uint32_t{Word::kEndOfBlock} << 16 | 1U << 24};
  const Symbol symbol = meaning(kind, code.symbols[static_cast<size_t>(index)]);
  return {static_cast<uint32_t>(length + symbol.size) | static_cast<uint32_t>(symbol.size) << 8 |
          static_cast<uint32_t>(symbol.advance) << 16 | static_cast<uint32_t>(length) << 24};
}

/// What who only passes over symbols needs of the next one, and of the one behind it where that one's code is known, too.
/// Bits: 0-5 and 8-13 bits taken by both and by the first; 16-23 and 24-31 positions to advance, likewise.
struct Step {
  uint32_t bits = 0;

  constexpr Step(Entry first, Entry both_or_first)
      : bits(both_or_first.total() | first.total() << 8 | both_or_first.advance() << 16 | first.advance() << 24) {}
  constexpr explicit Step(uint32_t all) : bits(all) {}
  constexpr uint32_t total() const { return bits & 63; }
  constexpr uint32_t first_total() const { return bits >> 8 & 63; }
  constexpr uint32_t advance() const { return bits >> 16 & 255; }
  constexpr uint32_t first_advance() const { return bits >> 24; }
};

/// @param entry_at (sixteen bits, kind) -> Entry
/// @param known how many of the sixteen bits the index holds; the others are 0
template <class EntryAt>
constexpr Step step_of(EntryAt&& entry_at, Coefficients kind, uint32_t sixteen_bits, uint32_t known) {
  const Entry first = entry_at(sixteen_bits, kind);
  // Behind a DC value the codes are another table's; behind the end of a block, too.
  const bool last = kind == Coefficients::kDc || first.advance() >= Word::kEndOfBlock || first.total() >= known;
  if (last) return {first, first};
  const Entry second = entry_at(sixteen_bits << first.total() & 0xFFFF, kind);
  if (second.none() || first.total() + second.code() > known) return {first, first};
  return {first, {(first.total() + second.total()) | (first.advance() + second.advance()) << 16}};
}

/// Two levels: codes of up to kShortBits bits by these bits; longer ones, which are the highest as numbers, by what all
/// their 16 bits are beyond the first of them.
class EntryTable {
 public:
  static constexpr int kShortBits = 10;
  static constexpr uint32_t kShort = 1 << kShortBits, kLong = 1024, kSize = kShort + kLong;

  /// The first of the numbers of 16 bits that begin with a long code.
  static constexpr uint32_t first_long(const CodeOrder& order) { return order.end_of(kShortBits); }
  /// False for codes, never seen in a picture, of which too many are long.
  static constexpr bool fits(const CodeOrder& order) { return (1 << 16) - first_long(order) <= kLong; }
  /// The 16 bits that entry `i` stands for, its first 16 bits where it stands for more.
  static constexpr uint32_t bits_of(uint32_t i, uint32_t first_long) {
    return i < kShort ? i << (16 - kShortBits) : (first_long + i - kShort) & 0xFFFF;
  }
  /// How many of those bits it stands for.
  static constexpr uint32_t bits_known(uint32_t i) { return i < kShort ? kShortBits : 16; }
  static constexpr uint32_t index_of(uint32_t sixteen_bits, uint32_t first_long) {
    return sixteen_bits >= first_long ? kShort + sixteen_bits - first_long : sixteen_bits >> (16 - kShortBits);
  }
};

/// A value's bits, of which those that begin with 0 are negative. `bits`: the value's first bit is the highest.
constexpr int value_of(uint32_t bits, uint32_t size) {
  return static_cast<int>((bits >> 1) >> (31 - size)) + (bits >> 31 != 0 ? 0 : 1 - (1 << size));
}

/// Where a decoder stands between two symbols.
struct Cursor {
  uint32_t bit = 0;       ///< of the scan
  uint32_t position = 0;  ///< in the block, zigzag; 0: a DC code is next
  uint32_t in_mcu = 0;    ///< block of the MCU
  uint32_t blocks = 0;    ///< ended so far

  /// Goes on behind a symbol. @return true where it ended the block
  constexpr bool pass(Entry entry, uint32_t mcu_blocks) { return pass(entry.total(), entry.advance(), mcu_blocks); }
  /// Goes on behind a symbol, and behind the one that follows where the first one ends neither the block nor the piece.
  constexpr bool pass(Step step, uint32_t end, uint32_t mcu_blocks) {
    const bool one = position + step.first_advance() >= 64 || bit + step.first_total() >= end;
    return pass(one ? step.first_total() : step.total(), one ? step.first_advance() : step.advance(), mcu_blocks);
  }

 private:
  constexpr bool pass(uint32_t bits, uint32_t positions, uint32_t mcu_blocks) {
    position += positions;
    bit += bits;
    const bool done = position >= 64;
    blocks += done ? 1 : 0;
    position = done ? 0 : position;
    in_mcu += done ? 1 : 0;
    in_mcu = in_mcu == mcu_blocks ? 0 : in_mcu;
    return done;
  }
};

/// In which state a piece is left, in 16 bits: how far beyond its end the next symbol begins, and what it belongs to.
class Leaf {
 public:
  constexpr Leaf(const Cursor& at, uint32_t end) : state_((at.bit - end) << 10 | at.position << 4 | at.in_mcu) {}
  constexpr explicit Leaf(uint32_t state) : state_(state) {}
  constexpr uint32_t state() const { return state_; }
  /// Where one goes on who knows where the piece ends.
  constexpr Cursor after(uint32_t end) const {
    return {.bit = end + (state_ >> 10), .position = state_ >> 4 & 63, .in_mcu = state_ & 15};
  }

 private:
  uint32_t state_;
};

/// To which of a piece's leaves those of the piece before lead, or of one further up; they are numbered from 0.
class Ways {
 public:
  static constexpr uint32_t kNowhere = 15, kMostLeaves = 15;

  /// Each leaf to itself.
  constexpr Ways() = default;
  static constexpr Ways all_to(uint32_t leaf) { return Ways(uint64_t{leaf} * 0x1111'1111'1111'1111); }
  static constexpr Ways from_bits(uint64_t bits) { return Ways(bits); }
  constexpr uint64_t bits() const { return bits_; }

  constexpr uint32_t operator[](uint32_t from) const { return static_cast<uint32_t>(bits_ >> (from * 4)) & 15; }
  constexpr void lead(uint32_t from, uint32_t to) {
    bits_ = (bits_ & ~(uint64_t{15} << (from * 4))) | uint64_t{to} << (from * 4);
  }
  /// First these ways, then those behind them.
  constexpr Ways then(Ways behind) const {
    Ways both(0);
    for (uint32_t i = 0; i < 16; ++i) both.bits_ |= uint64_t{behind[(*this)[i]]} << (i * 4);
    return both;
  }

 private:
  constexpr explicit Ways(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0xFEDC'BA98'7654'3210;
};

}  // namespace penstock::codec::jpeg

// Huffman decoding that may begin anywhere. A scan is cut into pieces; whoever takes one begins at its first bit
// without knowing what that bit belongs to, and falls into step with the true symbols sooner or later, since the codes
// synchronise themselves. One that ends its piece in the state in which another one began the next has confirmed it.
// (Weissenberger and Schmidt, Accelerating JPEG Decompression on GPUs, 2021, arXiv 2111.09219.)
// Shared with CUDA: no allocation, no exceptions.
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

/// What those need who only pass over symbols: how far the next one leads, and how far both lead where the code of the
/// one behind it is known, too; 16 bits each.
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
};

/// A cursor on its way to an end, its bit and its position in one number: one sum passes a symbol, or two, and one bit
/// of it says whether the block or the way has ended.
class Walk {
 public:
  static constexpr uint32_t kMostBits = (1 << 23) - 32;  ///< to the end, and beyond it

  /// @param end no further from where it begins than kMostBits
  constexpr Walk(const Cursor& from, uint32_t end)
      : in_mcu(from.in_mcu),
        blocks(from.blocks),
        end_(end),
        sum_((from.bit - end + kThere) | (kBegin + from.position) << Distance::kPosition) {}
  constexpr void head_for(uint32_t end) { *this = Walk(cursor(), end); }
  constexpr bool there() const { return (sum_ & kThere) != 0; }
  constexpr uint32_t bit() const { return (sum_ & (2 * kThere - 1)) - kThere + end_; }
  constexpr uint32_t position() const { return (sum_ >> Distance::kPosition) - kBegin; }
  constexpr uint32_t position_behind(Distance distance) const { return Walk(sum_ + distance.sum).position(); }
  constexpr Cursor cursor() const { return {.bit = bit(), .position = position(), .in_mcu = in_mcu, .blocks = blocks}; }
  /// The bit less a multiple of 64, in the low six bits.
  constexpr uint32_t low_bits() const { return sum_ + end_; }

  /// Goes on. @return true where that ended the block
  constexpr bool pass(Distance distance, uint32_t mcu_blocks) { return go_to(sum_ + distance.sum, mcu_blocks); }
  /// Two symbols on, or one where that one ends the block or the way.
  constexpr bool pass(Step step, uint32_t mcu_blocks) {
    const uint32_t one = sum_ + step.one().sum, two = sum_ + step.two().sum;
    return go_to((one & (kBlockEnd | kThere)) != 0 ? one : two, mcu_blocks);
  }

  uint32_t in_mcu, blocks;

 private:
  static constexpr uint32_t kThere = 1 << 23, kBegin = 64, kBlockEnd = 1U << 31;

  constexpr explicit Walk(uint32_t sum) : in_mcu(0), blocks(0), end_(0), sum_(sum) {}
  constexpr bool go_to(uint32_t sum, uint32_t mcu_blocks) {
    const bool done = static_cast<int32_t>(sum) < 0;
    sum_ = done ? (sum & (2 * kThere - 1)) | kBegin << Distance::kPosition : sum;
    if (done) {
      ++blocks;
      in_mcu = in_mcu + 1 == mcu_blocks ? 0 : in_mcu + 1;
    }
    return done;
  }

  uint32_t end_, sum_;
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

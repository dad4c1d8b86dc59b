// Huffman decoding that may begin anywhere. A scan is cut into pieces. A thread begins at the first bit of its piece
// without knowing to which symbol that bit belongs. It falls into step with the true symbols after a while, since the
// codes synchronise themselves. A thread that ends its piece in the state in which the next piece was begun confirms
// that piece.
// (Weissenberger and Schmidt, Accelerating JPEG Decompression on GPUs, 2021, arXiv 2111.09219.)
// Shared with CUDA: no allocation, no exceptions.
#pragma once

#include <cstdint>

#include "codec/jpeg/entry_table.h"

namespace penstock::codec::jpeg {

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
        sum_((from.bit - end + kThere) | (kBegin + from.position) << Distance::kPosition),
        low_(from.bit) {}
  constexpr void head_for(uint32_t end) { *this = Walk(cursor(), end); }
  constexpr bool there() const { return (sum_ & kThere) != 0; }
  constexpr uint32_t bit() const { return (sum_ & (2 * kThere - 1)) - kThere + end_; }
  constexpr uint32_t position() const { return (sum_ >> Distance::kPosition) - kBegin; }
  constexpr uint32_t position_behind(Distance distance) const { return Walk(sum_ + distance.sum).position(); }
  constexpr Cursor cursor() const { return {.bit = bit(), .position = position(), .in_mcu = in_mcu, .blocks = blocks}; }
  /// The bit less a multiple of 64, in the low six bits.
  constexpr uint32_t low_bits() const { return low_; }

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

  constexpr explicit Walk(uint32_t sum) : in_mcu(0), blocks(0), end_(0), sum_(sum), low_(sum) {}
  constexpr bool go_to(uint32_t sum, uint32_t mcu_blocks) {
    const bool done = static_cast<int32_t>(sum) < 0;
    low_ = sum + end_;  // does not wait for what becomes of the positions
    sum_ = done ? (sum & (2 * kThere - 1)) | kBegin << Distance::kPosition : sum;
    if (done) {
      ++blocks;
      in_mcu = in_mcu + 1 == mcu_blocks ? 0 : in_mcu + 1;
    }
    return done;
  }

  uint32_t end_, sum_, low_;
};

/// In which state a piece is left, in 16 bits: how far beyond its end the next symbol begins, and what it belongs to.
class Leaf {
 public:
  constexpr Leaf(const Cursor& at, uint32_t end) : state_((at.bit - end) << 10 | at.position << 4 | at.in_mcu) {}
  constexpr explicit Leaf(uint32_t state) : state_(state) {}
  constexpr uint32_t state() const { return state_; }
  /// Where decoding goes on, given where the piece ends.
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

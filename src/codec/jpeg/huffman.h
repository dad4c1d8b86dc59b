// Huffman decoding of one symbol without branches that the data decides: a table of words that say all about the next
// bits. Shared with CUDA: no allocation, no exceptions.
//
// A word stands for kIndexBits bits of the stream. It holds the first symbol and, where its bits end within the index,
// the second one with its value: in a photograph of quality 96 a step then takes 1.45 symbols. Tables of 2^10 words of
// 8 bytes stay in the L1 cache; with 2^11 fewer codes are long, and decoding is 3 % slower.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace penstock::codec::jpeg {

/// A table as a file gives it: how many codes of 1 to 16 bits there are, and their symbols in the order of the codes.
struct HuffmanCode {
  std::array<uint8_t, 16> counts{};
  std::array<uint8_t, 256> symbols{};
  bool defined = false;

  friend constexpr bool operator==(const HuffmanCode&, const HuffmanCode&) = default;
};

enum class Coefficients { kDc, kAc };

/// Position in zigzag order, counted from 1 as a step leaves it, to position in the block. Runs past the block's end
/// land on the last coefficient, as in libjpeg. The end of a block writes its 0 where the next block begins, which
/// the next DC value overwrites.
constexpr auto make_natural_order() {
  std::array<uint8_t, 256> order{};
  int at = 0;
  for (int sum = 0; sum < 15; ++sum)
    for (int i = 0; i <= sum; ++i) {
      const int y = sum % 2 != 0 ? i : sum - i, x = sum - y;
      if (y < 8 && x < 8) order[at++] = static_cast<uint8_t>(y * 8 + x);
    }
  for (; at < 80; ++at) order[at] = 63;
  for (; at < 256; ++at) order[at] = 64;
  return order;
}
inline constexpr std::array<uint8_t, 256> kNaturalOrder = make_natural_order();

/// What a table's word says. Bits: 0-5 bits taken in all; 6 a link; 8-15 positions to advance for the first symbol;
/// 16-31 summand that turns the first symbol's bits into the value, modulo 2^16; 32-47 the second value; 48-53 shift
/// that brings the first symbol's bits down; 55 no code; 56-63 positions to advance for both. What lies in the lowest
/// bytes is read by one instruction. A link stands for codes too long for the index, whose words lie from the summand
/// on; the shift leaves of the bits behind the index those that choose among them.
struct Word {
  uint64_t bits = 0;

  static constexpr uint64_t kLink = 0x40, kNoCode = uint64_t{1} << 55;
  /// Advance of the end of a block; more than any run past the end, less than a byte with a run before it.
  static constexpr int kEndOfBlock = 128;

  constexpr bool is_link() const { return (bits & kLink) != 0; }
  constexpr bool is_no_code() const { return (bits & kNoCode) != 0; }
  constexpr unsigned total() const { return bits & 255; }  // of no link
  constexpr int64_t first_advance() const { return static_cast<int64_t>(bits >> 8 & 255); }
  constexpr uint32_t first_summand() const { return static_cast<uint32_t>(bits >> 16); }
  constexpr int16_t second_value() const { return static_cast<int16_t>(bits >> 32); }
  constexpr unsigned first_shift() const { return bits >> 48 & 63; }
  constexpr int64_t advance() const { return static_cast<int64_t>(bits >> 56); }
  /// The same without the second symbol.
  constexpr Word first_only() const {
    return {(bits & 0x00FF'0000'FFFF'FF00) | ((64 - first_shift()) & 63) | (bits << 48 & 0xFF00'0000'0000'0000)};
  }
};

/// A run/size byte of an AC code, or the size of a DC code, as what it means.
struct Symbol {
  int size = 0;  ///< bits of the value that follows
  int advance = 0;
};
constexpr Symbol meaning(Coefficients kind, int symbol) {
  if (kind == Coefficients::kDc) return {symbol, 1};
  // Runs without a value end the block, but for the longest; in sequential files the standard has one of them only.
  const int size = symbol & 15, run = symbol >> 4;
  return {size, size == 0 && run < 15 ? Word::kEndOfBlock : run + 1};
}

/// What to add to a value's bits: those that begin with 0 are negative.
constexpr int sign_summand(int size, bool positive) { return size > 0 && !positive ? 1 - (1 << size) : 0; }

/// The word of one symbol whose code is `code` of `length` bits.
constexpr Word single_word(Symbol symbol, int length, uint32_t code, bool positive) {
  const auto total = static_cast<unsigned>(length + symbol.size);
  const uint32_t summand = static_cast<uint32_t>(sign_summand(symbol.size, positive)) - (code << symbol.size);
  const auto advance = static_cast<uint64_t>(symbol.advance);
  return {total | advance << 8 | static_cast<uint64_t>(summand & 0xFFFF) << 16 |
          static_cast<uint64_t>(64 - total) << 48 | advance << 56};
}

/// Canonical codes in their order: those of one length follow one another, and longer ones follow them.
class CodeOrder {
 public:
  /// Values of 8-bit pictures are no longer; a symbol then takes 27 bits at most, and two fit into a refill.
  static constexpr int kMaxDcSize = 11, kMaxAcSize = 10;

  /// False for codes that no file of 8-bit samples may have. libjpeg's checks: no length has more codes than bits
  /// allow, and the code of ones alone is not used.
  constexpr bool build(const HuffmanCode& code, Coefficients kind) {
    const int longest = kind == Coefficients::kDc ? kMaxDcSize : kMaxAcSize;
    int next = 0, total = 0;
    for (int length = 1; length <= 16; ++length, next <<= 1) {
      const int count = code.counts[static_cast<size_t>(length - 1)];
      offset_[length] = total - next;
      for (int i = total; i < total + count; ++i) {
        if (i >= 256) return false;
        const int symbol = code.symbols[static_cast<size_t>(i)];
        if ((kind == Coefficients::kDc ? symbol : symbol & 15) > longest) return false;
      }
      next += count;
      total += count;
      if (count > 0 && next >= 1 << length) return false;
      ends_[length] = next << (16 - length);
    }
    return total > 0;
  }

  struct Code {
    int length = 0;  ///< 0: none
    int index = 0;   ///< among the symbols
  };
  /// The code with which 16 bits begin, of `shortest` bits at least.
  constexpr Code find(uint32_t bits, int shortest) const { return code_of(length_of(bits, shortest), bits); }
  /// 17: 16 bits begin with no code.
  constexpr int length_of(uint32_t bits, int shortest) const {
    int length = shortest;
    for (int i = shortest; i <= 16; ++i) length += bits >= end_of(i) ? 1 : 0;
    return length;
  }
  constexpr Code code_of(int length, uint32_t bits) const {
    if (length > 16) return {};
    return {length, (offset_[length] + static_cast<int32_t>(bits >> (16 - length))) & 255};
  }

  /// Sixteen bits below this begin with a code of `length` bits at most.
  constexpr uint32_t end_of(int length) const { return static_cast<uint32_t>(ends_[length]); }

 private:
  std::array<int32_t, 17> offset_{}, ends_{};  // by length
};

class SymbolTable {
 public:
  static constexpr int kIndexBits = 10;

  /// False for codes that no file of 8-bit samples may have; the table is then not to be used.
  constexpr bool build(const HuffmanCode& code, Coefficients kind) {
    CodeOrder order;
    if (!order.build(code, kind)) return false;
    std::array<Short, kSize> shorts{};
    list_short_codes(code, shorts);
    long_words_[0] = long_words_[1] = no_code();
    uint32_t used = 2;
    for (uint32_t i = 0; i < kSize; ++i)
      words_[i] = shorts[i].length != 0 ? short_word(i, shorts, kind) : link({code, order, kind}, i, used);
    return true;
  }

  /// What the next bits mean; the stream's next bit is the highest of `bits`, and kIndexBits of them must be valid.
  constexpr Word look_up(uint64_t bits) const { return words_[bits >> (64 - kIndexBits)]; }

  /// The same where look_up() gave a link; 17 bits must be valid. Bits that are no code are marked kNoCode.
  constexpr Word follow(Word link, uint64_t bits) const {
    return long_words_[(link.first_summand() & 0xFFFF) + ((bits << kIndexBits) >> link.first_shift())];
  }

 private:
  static constexpr uint32_t kSize = 1 << kIndexBits;
  // Two words stand for no code. Where all codes that begin alike are of one length, each has two, one a sign. Six
  // times at most they are not, and once some bits are no code: then there are as many as 16 bits and a sign have
  // values.
  static constexpr uint32_t kMostBits = 17 - kIndexBits, kLongSize = 2 + 2 * 256 + 7 * (1 << kMostBits);
  struct Short {
    uint8_t length = 0, symbol = 0;  // length 0: none
  };
  struct Source {
    const HuffmanCode& code;
    const CodeOrder& order;
    Coefficients kind;
  };

  // Codes that leave a bit of the index for the value's sign.
  static constexpr void list_short_codes(const HuffmanCode& code, std::array<Short, kSize>& shorts) {
    uint32_t at = 0;
    size_t symbol = 0;
    for (int length = 1; length < kIndexBits; ++length)
      for (int i = 0; i < code.counts[static_cast<size_t>(length - 1)]; ++i, ++symbol)
        for (uint32_t end = at + (1U << (kIndexBits - length)); at < end; ++at)
          shorts[at] = {static_cast<uint8_t>(length), code.symbols[symbol]};
  }

  /// Makes the words of all codes that begin with `index`, behind the `used` ones.
  constexpr Word link(const Source& source, uint32_t index, uint32_t& used) {
    const uint32_t begin = index << (16 - kIndexBits), last = begin + (1 << (16 - kIndexBits)) - 1;
    const auto lowest = source.order.find(begin, kIndexBits), highest = source.order.find(last, kIndexBits);
    if (lowest.length == 0) return {Word::kLink | uint64_t{63} << 48};
    const auto bits = highest.length != 0 ? static_cast<uint32_t>(highest.length) + 1 - kIndexBits : kMostBits;
    const Word link{Word::kLink | uint64_t{64 - bits} << 48 | uint64_t{used} << 16};
    for (uint32_t i = 0; i < 1U << bits; ++i)
      long_words_[used++] = long_word(source, (index << bits | i) << (17 - kIndexBits - bits));
    return link;
  }

  /// The word of a code that is too long for the index, from its first 16 bits and one more.
  static constexpr Word long_word(const Source& source, uint32_t seventeen_bits) {
    const auto [length, index] = source.order.find(seventeen_bits >> 1, kIndexBits);
    if (length == 0) return no_code();
    return single_word(meaning(source.kind, source.code.symbols[static_cast<size_t>(index)]), length,
                       seventeen_bits >> (17 - length), (seventeen_bits >> (16 - length) & 1) != 0);
  }

  static constexpr Word no_code() { return {single_word({0, Word::kEndOfBlock}, 1, 1, true).bits | Word::kNoCode}; }

  /// The word of one code or two that the index holds.
  static constexpr Word short_word(uint32_t index, const std::array<Short, kSize>& shorts, Coefficients kind) {
    const Short first = shorts[index];
    const Symbol symbol = meaning(kind, first.symbol);
    const uint32_t code = index >> (kIndexBits - first.length);
    Word word = single_word(symbol, first.length, code, (index >> (kIndexBits - 1 - first.length) & 1) != 0);
    const int used = first.length + symbol.size;
    // After a DC value the codes are another table's; after the end of a block, too.
    if (kind == Coefficients::kDc || symbol.advance == Word::kEndOfBlock || used >= kIndexBits) return word;
    const uint32_t rest = (index << used) & (kSize - 1);
    const Short second = shorts[rest];
    const Symbol next = meaning(kind, second.symbol);
    const int total = used + second.length + next.size;
    if (second.length == 0 || total > kIndexBits) return word;
    const int value_bits = static_cast<int>(index >> (kIndexBits - total)) & ((1 << next.size) - 1);
    const bool positive = next.size > 0 && value_bits >> (next.size - 1) != 0;
    const auto value = static_cast<uint16_t>(value_bits + sign_summand(next.size, positive));
    word.bits &= 0x00FF'FFFF'FFFF'FF00;
    word.bits |= static_cast<uint64_t>(total) | static_cast<uint64_t>(value) << 32 |
                 static_cast<uint64_t>(symbol.advance + next.advance) << 56;
    return word;
  }

  std::array<Word, kSize> words_{};
  std::array<Word, kLongSize> long_words_{};
};

/// One block of an MCU, as the symbol steps see it: tables to go on with, and the block that follows.
struct BlockStep {
  const SymbolTable* ac = nullptr;
  const SymbolTable* next_dc = nullptr;
  const BlockStep* next = nullptr;
};

/// The state of a stream between two symbols.
struct SymbolState {
  uint64_t bits = 0;       ///< the next bit is the highest
  unsigned count = 0;      ///< bits that are valid
  int64_t position = -64;  ///< zigzag position less 64
  int16_t* block = nullptr;
  const BlockStep* step = nullptr;
  const SymbolTable* table = nullptr;
  bool broken = false;  ///< bits were no code
};

/// What is kept of blocks: all coefficients, or one number a block where they are only passed over.
enum class Keep { kAll, kDc };
constexpr int stride_of(Keep keep) { return keep == Keep::kAll ? 64 : 1; }

/// Decodes what one word of the table says, two symbols at most, whatever they are: DC value, AC value, run of zeros,
/// end of block. Takes up to 27 bits. DC values stay differences. One number beyond the last block may be written.
/// @param word what the table says of the state's bits
template <Keep kKeep>
[[gnu::always_inline]] constexpr void take_symbols(SymbolState& s, Word word) {
  if (word.is_link()) [[unlikely]] {
    word = s.table->follow(word, s.bits);
    s.broken |= word.is_no_code();
  }
  const int64_t first = s.position + word.first_advance();
  // A block whose last coefficient is not 0 ends without a symbol that says so: what follows is the next block's.
  if (first >= 0 && first < 64) [[unlikely]]
    word = word.first_only();
  const auto value = static_cast<uint32_t>(s.bits >> word.first_shift()) + word.first_summand();
  const int64_t last = s.position + word.advance();
  s.bits <<= word.total();
  s.count -= word.total();
  if constexpr (kKeep == Keep::kAll) {
    s.block[kNaturalOrder[static_cast<size_t>(last + 63)]] = word.second_value();  // or a first draft of what follows
    s.block[kNaturalOrder[static_cast<size_t>(first + 63)]] = static_cast<int16_t>(value);
  } else {
    s.block[s.position == -64 ? 0 : 1] = static_cast<int16_t>(value);  // AC values where the next DC value will be
  }
  const bool done = last >= 0;
  s.table = done ? s.step->next_dc : s.step->ac;
  s.step = done ? s.step->next : s.step;
  s.block += done ? stride_of(kKeep) : 0;
  s.position = done ? -64 : last;
}

}  // namespace penstock::codec::jpeg

// Tables of words: whatever codes a file defines, each beginning of 17 bits is understood as the codes' order says.
#include "codec/jpeg/huffman.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

namespace penstock::codec::jpeg {
namespace {

/// Codes of any lengths, as many as fit; those of `shortest` bits and less are left out.
HuffmanCode any_code(std::mt19937& random, int shortest) {
  HuffmanCode code{.defined = true};
  int left = 1, total = 0;  // codes of this length that no shorter one begins; codes
  for (int length = 1; length <= 16; ++length) {
    left *= 2;
    const int most = std::min({left - 1, 256 - total, 255});
    const int drawn = static_cast<int>(random() % static_cast<unsigned>(most / 2 + 1));
    const int count = length == 16 ? most : length > shortest ? drawn : 0;  // as many of the longest as can be
    code.counts[static_cast<size_t>(length - 1)] = static_cast<uint8_t>(count);
    left -= count;
    total += count;
  }
  for (uint8_t& symbol : code.symbols) symbol = static_cast<uint8_t>(random() % 16 << 4 | random() % 11);
  return code;
}

int value_of(uint64_t bits, int length, int size) {
  if (size == 0) return 0;
  const auto value = static_cast<int>(bits << length >> (64 - size));
  return value >> (size - 1) != 0 ? value : value + 1 - (1 << size);
}

TEST(SymbolTable, UnderstandsAllBeginnings) {
  std::mt19937 random(1);
  const auto table = std::make_unique<SymbolTable>();
  for (int round = 0; round < 24; ++round) {
    const HuffmanCode code = any_code(random, round % 12);
    CodeOrder order;
    ASSERT_TRUE(order.build(code, Coefficients::kAc) && table->build(code, Coefficients::kAc));
    for (uint64_t i = 0; i < 1 << 17; ++i) {
      const uint64_t bits = i << 47 | uint64_t{random()} << 10;
      Word word = table->look_up(bits);
      if (word.is_link()) word = table->follow(word, bits);
      const auto [length, index] = order.find(static_cast<uint32_t>(bits >> 48), 1);
      ASSERT_EQ(word.is_no_code(), length == 0) << round << ' ' << i;
      if (length == 0) continue;
      const Symbol symbol = meaning(Coefficients::kAc, code.symbols[static_cast<size_t>(index)]);
      ASSERT_EQ(word.first_only().total(), static_cast<unsigned>(length + symbol.size)) << round << ' ' << i;
      ASSERT_EQ(word.first_advance(), symbol.advance);
      const auto value = static_cast<uint32_t>(bits >> word.first_shift()) + word.first_summand();
      ASSERT_EQ(static_cast<int16_t>(value), value_of(bits, length, symbol.size)) << round << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace penstock::codec::jpeg

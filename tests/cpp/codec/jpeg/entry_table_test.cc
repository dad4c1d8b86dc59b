// What the tables say of the next bits is what the codes say.
#include "codec/jpeg/entry_table.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "codec/jpeg/headers.h"
#include "codec/jpeg/pieces.h"
#include "corpus.h"

namespace penstock::codec::jpeg {
namespace {

/// The codes of the standard's tables, and of one with short codes only.
std::vector<std::pair<HuffmanCode, Coefficients>> some_codes() {
  Headers headers;
  EXPECT_TRUE(read_headers(encode({.height = 16, .width = 16, .quality = 90}), headers));
  HuffmanCode few{.defined = true};
  few.counts = {1, 1, 1, 1, 1, 1, 1};
  few.symbols = {0x11, 0x00, 0xF0, 0x21, 0x02, 0x03, 0x0A};
  few.counts[9] = 7;  // nearly all bits of ten are codes
  return {{headers.dc[0], Coefficients::kDc},
          {headers.dc[1], Coefficients::kDc},
          {headers.ac[0], Coefficients::kAc},
          {headers.ac[1], Coefficients::kAc},
          {few, Coefficients::kAc}};
}

TEST(JpegEntryTable, SaysOfAllBitsWhatTheCodesSay) {
  for (const auto& [code, kind] : some_codes()) {
    CodeOrder order;
    ASSERT_TRUE(order.build(code, kind) && EntryTable::fits(order));
    const uint32_t first = 700;
    const EntryTable table(order, first);
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
      const uint32_t index = table.index_of(bits << 16 | 0xABCD) - first;
      ASSERT_LT(index, EntryTable::size(order));
      const uint32_t known = EntryTable::bits_known(index, order), meant = EntryTable::bits_of(index, order);
      ASSERT_EQ(meant >> (16 - known), bits >> (16 - known));
      ASSERT_EQ(entry_of(code, order.find(meant, 1), kind).bits, entry_of(code, order.find(bits, 1), kind).bits)
          << bits;
    }
  }
}

TEST(JpegEntryTable, AStepIsOneSymbolOrTwo) {
  std::mt19937 generator(5);
  const auto random = [&](uint32_t below) { return static_cast<uint32_t>(generator() % below); };
  int pairs = 0;
  for (const auto& some : some_codes()) {
    const auto& code = some.first;
    const Coefficients kind = some.second;
    CodeOrder order;
    ASSERT_TRUE(order.build(code, kind));
    const auto entry_at = [&](uint32_t bits, Coefficients) { return entry_of(code, order.find(bits, 1), kind); };
    for (int i = 0; i < 20000; ++i) {
      const uint32_t bits = random(~0U), known = i % 2 == 0 ? 10 : 16, end = 1000;
      const Step step = step_of(entry_at, kind, (bits >> 16) & (0xFFFF << (16 - known)) & 0xFFFF, known);
      const Entry one = entry_at((bits >> 16) & (0xFFFF << (16 - known)) & 0xFFFF, kind);
      const Cursor from{.bit = end - 1 - random(40), .position = random(64), .in_mcu = random(6), .blocks = 3};
      Walk steps(from, end), symbols(from, end);
      const bool done = steps.pass(step, 6);
      bool ended = symbols.pass(one.distance(), 6);
      if (symbols.bit() != steps.bit() && !ended && !symbols.there()) {
        ended = symbols.pass(entry_at(bits << one.distance().bits() >> 16, kind).distance(), 6);
        ++pairs;
      }
      ASSERT_EQ(done, ended);
      ASSERT_EQ(Leaf(steps.cursor(), 0).state(), Leaf(symbols.cursor(), 0).state()) << bits;
      ASSERT_EQ(steps.cursor().blocks, symbols.cursor().blocks);
      ASSERT_EQ(steps.there(), steps.bit() >= end);
    }
  }
  EXPECT_GT(pairs, 10000);
}

TEST(JpegEntryTable, RefusesCodesOfWhichTooManyAreLong) {
  HuffmanCode code{.defined = true};
  code.counts[15] = 5;  // all of 16 bits
  CodeOrder order;
  ASSERT_TRUE(order.build(code, Coefficients::kAc));
  EXPECT_FALSE(EntryTable::fits(order));
  code.counts = {0, 1, 2};
  ASSERT_TRUE(order.build(code, Coefficients::kAc));
  EXPECT_TRUE(EntryTable::fits(order) == (EntryTable::first_long(order) >= (1U << 16) - EntryTable::kLong));
}

}  // namespace
}  // namespace penstock::codec::jpeg

// Decoding that begins anywhere: what it finds are the serial decoder's coefficients.
#include "codec/jpeg/pieces.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "corpus.h"
#include "played_scan.h"

namespace penstock::codec::jpeg {
namespace {

TEST(JpegPieces, AreTheSerialDecodersCoefficients) {
  for (const Coding& coding :
       {Coding{.height = 61, .width = 83, .quality = 96}, Coding{.height = 61, .width = 83, .quality = 30},
        Coding{.height = 90, .width = 70, .factors = {{{2, 2}, {1, 1}, {1, 1}, {1, 1}}}, .quality = 90},
        Coding{.height = 50, .width = 80, .stored = Stored::kGray, .optimised = true},
        Coding{.height = 64, .width = 64, .quality = 100, .optimised = true, .noise = 1}}) {
    const std::vector<uint8_t> file = encode(coding);
    const PlayedScan scan(file);
    const std::vector<int16_t> expected = scan.serial();
    for (const uint32_t piece : {256U, 512U, 1000U, scan.bits()}) {
      const std::vector<int16_t> found = scan.by_pieces(piece);
      // Noise hardly falls into step, and leaves more than there is room for: refused, except in one piece.
      if (found.empty() && coding.noise == 1 && piece != scan.bits()) continue;
      EXPECT_EQ(found, expected) << coding.text() << " in pieces of " << piece << " bits";
    }
  }
}

TEST(JpegPieces, WaysLeadWhereOneAfterTheOtherLeads) {
  std::mt19937 random(7);
  Ways all;
  std::array<uint32_t, 16> at{};
  std::iota(at.begin(), at.end(), 0);
  for (int step = 0; step < 50; ++step) {
    Ways next = step == 30 ? Ways::all_to(9) : Ways();
    for (uint32_t i = 0; i < Ways::kMostLeaves && step != 30; i += 1 + random() % 9) next.lead(i, random() % 16);
    all = all.then(next);
    for (uint32_t i = 0; i < 16; ++i) {
      at[i] = step == 30 ? 9 : next[at[i]];
      EXPECT_EQ(all[i], at[i]) << step;
    }
    EXPECT_EQ(all[Ways::kNowhere], step < 30 ? Ways::kNowhere : at[Ways::kNowhere]);
    EXPECT_EQ(Ways::from_bits(all.bits())[3], all[3]);
  }
}

TEST(JpegPieces, AWalkCountsFromFarBeforeItsEndToBehindIt) {
  for (const uint32_t end : {Walk::kMostBits, 0x8000'0000U, 0xFFFF'FF00U})
    for (const uint32_t before : {Walk::kMostBits, 77U, 1U}) {
      Walk walk({.bit = end - before, .position = 63, .in_mcu = 5, .blocks = 8}, end);
      EXPECT_EQ(walk.bit(), end - before);
      EXPECT_EQ((walk.low_bits() ^ walk.bit()) & 63, 0U);
      EXPECT_FALSE(walk.there());
      EXPECT_TRUE(walk.pass(Distance(27, 16), 6));
      EXPECT_EQ(walk.bit(), end - before + 27);
      EXPECT_EQ(walk.there(), before <= 27);
      EXPECT_EQ(walk.position(), 0U);
      EXPECT_EQ(walk.in_mcu, 0U);
      EXPECT_EQ(walk.blocks, 9U);
      walk.head_for(end + 20);
      EXPECT_EQ(walk.bit(), end - before + 27);
    }
}

}  // namespace
}  // namespace penstock::codec::jpeg

// The GPU's entropy decoding, its threads played by the host's: coefficients are the serial decoder's.
#include "pipeline/jpeg_on_threads.h"

#include "codec/jpeg/entropy.h"

namespace penstock {
namespace {

using namespace codec::jpeg;
using test::picture;
using test::Setting;

class JpegEntropyTest : public test::JpegOnThreads {
 protected:
  /// Blocks of the window that are not the serial decoder's.
  size_t wrong_blocks(std::span<const uint8_t> file) const {
    Headers headers;
    Bitstream bits;
    EntropyDecoder decoder;
    EXPECT_TRUE(read_headers(file, headers) && bits.take(file.subspan(headers.scan_begin), headers.frame.segments()));
    EXPECT_TRUE(decoder.prepare(headers) && decoder.start(bits));
    std::vector<int16_t> all(size_t{job_.blocks} * 64 + EntropyDecoder::kSpill);
    EXPECT_TRUE(decoder.read(headers.frame.mcus(), all.data()));
    size_t wrong = 0;
    const int16_t* found = job_.coefficients;
    for (const WantedPlane& w : job_.wanted)
      for (int row = w.rows.begin; row < w.rows.end; ++row)
        for (int column = w.columns.begin; column < w.columns.end; ++column, found += 64) {
          const size_t block = number_of(w, row, column);
          const int16_t* expected = &all[block * 64];
          wrong += job_.dc[block] != expected[0] || !std::equal(found + 1, found + 64, expected + 1) ? 1 : 0;
        }
    return wrong;
  }

  size_t number_of(const WantedPlane& w, int row, int column) const {
    const int down = w.plane.block_rows, across = w.plane.blocks;
    const int mcu = row / down * job_.mcu_columns + column / across;
    return static_cast<size_t>(mcu * job_.mcu_blocks + w.first + row % down * across + column % across);
  }

  void expect_same(std::span<const uint8_t> file, const codec::Region& window, const Setting& setting) {
    decode(file, window, setting);
    EXPECT_EQ(refused_, 0);
    EXPECT_EQ(job_.runs, setting.checkpoints);
    EXPECT_EQ(job_.stuffed != nullptr, !setting.checkpoints && setting.most_team == 1);
    EXPECT_EQ(wrong_blocks(file), 0U) << setting.batch_size << ' ' << setting.warps << ' ' << window.y0;
  }
};

TEST_F(JpegEntropyTest, PiecesGiveTheSerialDecodersCoefficients) {
  for (const int factor : {1, 2}) {
    const std::vector<uint8_t> file = picture(90, 130, factor);
    for (const Setting& setting : {Setting{}, Setting{.warps = 4}, Setting{.most_team = 2, .batch_size = 1}})
      expect_same(file, {0, 0, 90, 130}, setting);
    expect_same(file, {21, 50, 30, 41}, {});
  }
}

TEST_F(JpegEntropyTest, TablesThatAreThereGiveTheSameCoefficients) {
  const std::vector<uint8_t> file = picture(90, 130, 2);
  expect_same(file, {0, 0, 90, 130}, {.example = true});
  EXPECT_NE(job_.entries, nullptr);
  expect_same(file, {21, 50, 30, 41}, {.checkpoints = true, .example = true});
  EXPECT_NE(job_.entries, nullptr);
}

TEST_F(JpegEntropyTest, RunsGiveTheSerialDecodersCoefficients) {
  const std::vector<uint8_t> file = picture(90, 300, 2);
  for (const codec::Region& window : {codec::Region{0, 0, 90, 300}, codec::Region{33, 200, 20, 60}})
    for (const uint32_t warps : {16U, 8U}) expect_same(file, window, {.warps = warps, .checkpoints = true});
}

TEST_F(JpegEntropyTest, TheHostTakesStuffingOutWhereAFillByteIsAtTheEnd) {
  std::vector<uint8_t> file = picture(90, 130, 1);
  file.insert(file.end() - 2, 0xFF);
  decode(file, {0, 0, 90, 130}, {});
  EXPECT_EQ(job_.stuffed, nullptr);
  EXPECT_EQ(refused_, 0);
  EXPECT_EQ(wrong_blocks(file), 0U);
}

// As cameras write previews, and Ultra HDR its gain map: the file then ends with another picture's end.
TEST_F(JpegEntropyTest, APictureThatIsToldToLieBehindIsPassedOver) {
  const std::vector<uint8_t> behind = picture(20, 30, 1);
  const std::vector<uint8_t> told = {0xFF, 0xE2, 0, 8, 'M', 'P', 'F', 0, 'I', 'I'};
  for (const Setting& setting : {Setting{}, Setting{.most_team = 2, .batch_size = 1}}) {
    std::vector<uint8_t> file = picture(90, 130, 2);
    file.insert(file.begin() + 2, told.begin(), told.end());
    file.insert(file.end(), behind.begin(), behind.end());
    decode(file, {0, 0, 90, 130}, setting);
    EXPECT_EQ(job_.stuffed != nullptr, setting.most_team == 1);
    EXPECT_EQ(refused_, 0);
    EXPECT_EQ(wrong_blocks(file), 0U);
  }
}

TEST_F(JpegEntropyTest, WhatGoesOnBehindItsEndIsRefused) {
  std::vector<uint8_t> file = picture(90, 130, 1);
  file.insert(file.end(), {1, 2, 0xFF, 0xD9});
  decode(file, {0, 0, 90, 130}, {});
  EXPECT_NE(job_.stuffed, nullptr);
  EXPECT_EQ(refused_, 1);
}

// At one bit a symbol, threads would pass what is behind them for seconds.
TEST(JpegRounds, AreFewerWherePiecesAreLong) {
  for (uint32_t team = 1; team <= 16; team *= 2) {
    EXPECT_EQ(cuda::most_rounds(team, ScanJob::kMinPieceBitsOfTeam), 96 * team) << "as files of pictures need them";
    for (size_t scan = 1 << 20; scan <= 64 << 20; scan += scan / 3) {
      const uint32_t piece = ScanJob::piece_bits_of(static_cast<uint32_t>(8 * scan), 1, ScanJob::kThreads * team);
      const size_t bits = size_t{piece} * cuda::most_rounds(team, piece);
      EXPECT_LE(bits, (size_t{1} << 20) + piece) << scan;
      EXPECT_GE(bits, size_t{30} * 2048) << scan << ": chroma may take so many to fall into step";
    }
  }
}

TEST_F(JpegEntropyTest, WhatIsNoJpegIsRefused) {
  std::vector<uint8_t> file = picture(90, 130, 1);
  std::fill(file.end() - 600, file.end() - 300, uint8_t{0xFE});  // no code begins with so many ones
  decode(file, {0, 0, 90, 130}, {});
  EXPECT_EQ(refused_, 1);
}

}  // namespace
}  // namespace penstock

// Decoding that begins at places: what it finds are the serial decoder's coefficients.
#include "codec/jpeg/runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "codec/jpeg/survey.h"
#include "corpus.h"
#include "played_scan.h"

namespace penstock::codec::jpeg {
namespace {

TEST(JpegRuns, AreTheSerialDecodersCoefficients) {
  std::mt19937 random(3);
  Survey survey;
  Checkpoints checkpoints(size_t{64} << 20, {});
  const auto part = [&](int extent) {
    const int begin = static_cast<int>(random() % static_cast<unsigned>(extent));
    return Range{begin, begin + 1 + static_cast<int>(random() % static_cast<unsigned>(extent - begin))};
  };
  for (const Coding& coding :
       {Coding{.height = 161, .width = 483, .quality = 96}, Coding{.height = 61, .width = 83, .quality = 30},
        Coding{.height = 190, .width = 370, .factors = {{{2, 2}, {1, 1}, {1, 1}, {1, 1}}}, .quality = 90},
        Coding{.height = 150, .width = 480, .stored = Stored::kGray, .optimised = true},
        Coding{.height = 64, .width = 364, .quality = 100, .optimised = true, .noise = 1}, Coding{}}) {
    const std::vector<uint8_t> file = encode(coding);
    const PlayedScan scan(file);
    for (const int i : {0, 1, 2, 3, 4, 5, 6, 7}) {
      const Range rows = i == 0 ? Range{0, scan.mcu_rows()} : part(scan.mcu_rows());
      const Range columns = i == 0 ? Range{0, scan.mcu_columns()} : part(scan.mcu_columns());
      const auto count = static_cast<size_t>(rows.end - rows.begin);
      std::vector<int16_t> expected = scan.serial();
      scan.clear_unwanted(rows, columns, expected);
      const auto places = survey.places_of(file, scan.headers(), checkpoints);  // from the second time on, kept ones
      for (const size_t most : {count, 2 * count, size_t{512}})
        EXPECT_EQ(scan.by_runs(places, rows, columns, most), expected) << coding.text() << " most " << most;
      EXPECT_TRUE(scan.by_runs(places, rows, columns, count - 1).empty());
    }
  }
}

TEST(JpegRuns, PlacesThatAreNoneAreRefused) {
  const std::vector<uint8_t> file = encode({.height = 100, .width = 300});
  const PlayedScan scan(file);
  Survey survey;
  Checkpoints checkpoints(1 << 20, {});
  const auto found = survey.places_of(file, scan.headers(), checkpoints);
  const std::vector<uint16_t> places(found.begin(), found.end());
  const std::span<const uint8_t> bytes = std::span(file).subspan(scan.headers().scan_begin);
  const Range columns{0, scan.mcu_columns()};
  Range rows{0, scan.mcu_rows()};
  Runs runs;
  const auto divide = [&](std::span<const uint16_t> of) {
    return runs.divide(scan.headers().frame, of, bytes, rows, columns, 512);
  };
  ASSERT_TRUE(divide(places));
  EXPECT_FALSE(divide(std::span(places).first(places.size() - 1)));
  EXPECT_FALSE(divide({}));
  // As a sidecar might have them: never is there more memory than is written to.
  const auto expect_bounded = [&](std::span<const uint16_t> forged, int i) {
    if (!divide(forged)) return;
    EXPECT_LE(runs.bytes(), bytes.size() + Bitstream::kPadding);
    constexpr uint8_t kUntouched = 0xA5;
    std::vector<uint8_t> memory(runs.bytes() + bytes.size(), kUntouched);
    runs.write(memory.data());
    const auto beyond = std::span(memory).subspan(runs.bytes());
    EXPECT_TRUE(std::ranges::all_of(beyond, [](uint8_t byte) { return byte == kUntouched; })) << i;
  };
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    std::vector<uint16_t> forged = places;
    for (int k = 0; k <= i % 5; ++k) forged[random() % forged.size()] = static_cast<uint16_t>(random());
    expect_bounded(forged, i);
  }
  const PlaceGrid grid(scan.headers().frame);
  rows = {0, 1};
  for (size_t i = 1; i < grid.count(); ++i)  // a byte before the place before
    if (const uint64_t bit = place_at(places, grid, i - 1).bit; bit >= 8) {
      std::vector<uint16_t> forged = places;
      forged[i * grid.words()] = static_cast<uint16_t>(bit - 8);
      forged[i * grid.words() + 1] = static_cast<uint16_t>((bit - 8) >> 16);
      expect_bounded(forged, static_cast<int>(i));
    }
}

TEST(JpegRuns, AFileThatIsCutOffHasNoPlaces) {
  std::vector<uint8_t> file = encode({.height = 100, .width = 300});
  Headers headers;
  ASSERT_TRUE(read_headers(file, headers));
  file.resize(file.size() - 200);
  Survey survey;
  Checkpoints checkpoints(1 << 20, {});
  EXPECT_TRUE(survey.places_of(file, headers, checkpoints).empty());
  EXPECT_TRUE(checkpoints.find(key_of(file)));  // it is not read twice
}

}  // namespace
}  // namespace penstock::codec::jpeg

#include "kernels/histogram/lab_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace penstock::kernels {
namespace {

/// Pixels with all levels in all channels, neighbours far apart.
std::vector<uint8_t> pixels_of(int64_t count) {
  std::vector<uint8_t> made;
  for (int64_t i = 0; i < 3 * count; ++i) made.push_back(static_cast<uint8_t>(i * 97 + i / 256 * 31));
  return made;
}

class LabRows : public testing::TestWithParam<int64_t> {};

TEST_P(LabRows, AreWhatSinglePixelsAre) {
  const int64_t pixels = GetParam();
  const LabTables& tables = lab_tables();
  const std::vector<uint8_t> given = pixels_of(pixels);
  std::vector<uint8_t> lab(given.size()), rgb(given.size());
  rgb_to_lab(tables, given.data(), pixels, lab.data());
  lab_to_rgb(tables, lab.data(), pixels, rgb.data());
  for (int64_t i = 0; i < pixels; ++i) {
    uint8_t one[3], back[3];
    lab_of(tables, &given[static_cast<size_t>(3 * i)], one);
    rgb_of(tables, one, back);
    for (int64_t c = 0; c < 3; ++c) {
      ASSERT_EQ(lab[static_cast<size_t>(c * pixels + i)], one[c]) << "pixel " << i << ", plane " << c;
      ASSERT_EQ(rgb[static_cast<size_t>(3 * i + c)], back[c]) << "pixel " << i << ", channel " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AroundBlocks, LabRows, testing::Values(0, 1, 255, 256, 257, 70'000));

}  // namespace
}  // namespace penstock::kernels

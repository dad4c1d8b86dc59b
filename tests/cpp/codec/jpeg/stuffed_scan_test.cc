#include "codec/jpeg/stuffed_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "codec/jpeg/bitstream.h"
#include "core/instruction_sets.h"

namespace penstock::codec::jpeg {
namespace {

using Bytes = std::vector<uint8_t>;

struct Taken {
  bool sound = false;
  std::vector<uint32_t> kept_before;
};

/// Copies a scan and looks whether just its bytes are there.
Taken taken(const Bytes& scan) {
  Bytes file(scan.size() + 1, 0);  // with the end of a header
  std::ranges::copy(scan, file.begin() + 1);
  Bytes memory(scan.size() + 128, 0xEE);
  uint8_t* const to = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64);
  Taken found;
  found.sound = copy_stuffed(std::span(file).subspan(1), to, found.kept_before);
  if (found.sound) {
    EXPECT_TRUE(std::equal(scan.begin(), scan.end(), to));
    EXPECT_EQ(to[scan.size()], 0xEE);
  }
  return found;
}

uint32_t kept_of(std::span<const uint8_t> bytes) {
  uint32_t kept = 0;
  for (size_t i = 0; i < bytes.size(); ++i) kept += i > 0 && bytes[i - 1] == 0xFF && bytes[i] == 0 ? 0 : 1;
  return kept;
}

void expect_stretches() {
  std::mt19937 random(3);
  for (const size_t size : {0, 1, 63, 64, 65, 4095, 4096, 4097, 8192, 20'000})
    for (const uint32_t one_in : {2, 60}) {
      Bytes scan;
      while (scan.size() < size) scan.push_back(random() % one_in == 0 ? 0xFF : static_cast<uint8_t>(random() % 255));
      for (size_t i = 1; i < size; ++i)
        if (scan[i - 1] == 0xFF) scan[i] = 0;
      if (size > 0 && scan.back() == 0xFF) scan.back() = 1;
      const Taken found = taken(scan);
      ASSERT_TRUE(found.sound) << size;
      ASSERT_EQ(found.kept_before.size(), (size + kStretch - 1) / kStretch + 1);
      for (size_t i = 0; i < found.kept_before.size(); ++i)
        EXPECT_EQ(found.kept_before[i], kept_of(std::span(scan).first(std::min(i * kStretch, size)))) << size;
    }
}

void expect_others_to_be_left() {
  for (const size_t size : {70, 5000})
    for (const size_t at : {size_t{0}, size_t{62}, size_t{63}, size - 2})
      for (const uint8_t behind : {0xD9, 0xD0, 0xFF, 0x01}) {
        Bytes scan(size, 7);
        scan[at] = 0xFF;
        scan[at + 1] = behind;
        EXPECT_FALSE(taken(scan).sound) << size << ' ' << at << ' ' << int{behind};
      }
  EXPECT_FALSE(taken({1, 2, 0xFF}).sound) << "a fill byte before the marker";
}

TEST(StuffedScan, StretchesKnowWhatIsBeforeThem) { test::with_every_instruction_set(expect_stretches); }

TEST(StuffedScan, MarkersAndFillBytesAreLeftToBitstream) { test::with_every_instruction_set(expect_others_to_be_left); }

}  // namespace
}  // namespace penstock::codec::jpeg

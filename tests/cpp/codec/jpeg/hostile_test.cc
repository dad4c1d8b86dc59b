// Damaged files: our own decoder takes none that libjpeg-turbo would refuse or decode otherwise. What it does not take
// is libjpeg-turbo's, so the engine accepts and refuses as libjpeg-turbo does.
#include <gtest/gtest.h>

#include <random>

#include <penstock/error.h>

#include "corpus.h"

namespace penstock::codec::jpeg {
namespace {

std::vector<Coding> sound_files() {
  const Factors half{{{2, 2}, {1, 1}, {1, 1}, {1, 1}}}, none{{{1, 1}, {1, 1}, {1, 1}, {1, 1}}};
  return {{.height = 40, .width = 56, .factors = half, .noise = .1},
          {.height = 40, .width = 56, .factors = none, .quality = 98, .noise = .3},
          {.height = 40, .width = 56, .factors = half, .restart_interval = 2, .optimised = true, .noise = .1},
          {.height = 33, .width = 21, .stored = Stored::kGray, .quality = 60},
          {.height = 17, .width = 30, .stored = Stored::kYcck, .factors = none, .noise = .1}};
}

struct Tally {
  int both = 0, turbo_only = 0, refused = 0;
};

// Whole, then a region: what our own decoder takes of a damaged file, libjpeg-turbo takes too, and makes the same of
// it.
void compare(const std::vector<uint8_t>& file, std::mt19937& random, const std::string& what, Tally& tally) {
  std::optional<Pixels> own, turbo;
  Region all;
  try {
    all = whole_of(file);
    if (all.height * all.width > 1 << 20) return;
    own = own_decode(file, ImageType::kAnyData, all);
    turbo = turbo_decode(file, ImageType::kAnyData, all);
  } catch (const DataError&) {
  }
  if (own) {
    ASSERT_TRUE(turbo) << what << ": taken, although libjpeg-turbo refuses it";
    ASSERT_TRUE(*own == *turbo) << what << ": decoded otherwise than by libjpeg-turbo";
  }
  ++(own ? tally.both : turbo ? tally.turbo_only : tally.refused);
  if (!turbo) return;
  const Region region = random_region(random, all);
  if (const auto part = own_decode(file, ImageType::kAnyData, region)) {
    ASSERT_TRUE(*part == crop_of(*turbo, all, region)) << what << ": a region is not the crop of the whole";
  }
}

void report(const Tally& tally) {
  ::testing::Test::RecordProperty("taken_by_both", tally.both);
  ::testing::Test::RecordProperty("left_to_libjpeg_turbo", tally.turbo_only);
  ::testing::Test::RecordProperty("refused", tally.refused);
  // Each outcome must have been met, or the comparison says little.
  EXPECT_GT(tally.turbo_only, 0);
  EXPECT_GT(tally.refused, 0);
}

TEST(HostileJpeg, CutOffAtEveryByte) {
  std::mt19937 random(1);
  Tally tally;
  for (const Coding& coding : sound_files()) {
    const auto file = encode(coding);
    for (size_t size = 3; size < file.size(); ++size)
      compare({file.begin(), file.begin() + static_cast<ptrdiff_t>(size)}, random,
              coding.text() + " cut off at " + std::to_string(size), tally);
  }
  EXPECT_EQ(tally.both + tally.turbo_only, 0);  // libjpeg reads ahead: even the end marker alone may not be missing
  EXPECT_GT(tally.refused, 1000);
}

TEST(HostileJpeg, DamagedBytes) {
  std::mt19937 random(2);
  Tally tally;
  for (const Coding& coding : sound_files()) {
    const auto file = encode(coding);
    for (int round = 0; round < 800; ++round) {
      auto damaged = file;
      for (uint32_t i = 0; i <= random() % 4; ++i) damaged[2 + random() % (file.size() - 2)] ^= 1U << random() % 8;
      compare(damaged, random, coding.text() + " damage " + std::to_string(round), tally);
    }
    for (int round = 0; round < 200; ++round) {  // bytes lost, doubled and made markers
      auto damaged = file;
      const auto at = damaged.begin() + static_cast<ptrdiff_t>(2 + random() % (file.size() - 4));
      switch (random() % 4) {
        case 0:
          damaged.erase(at, at + 1 + static_cast<ptrdiff_t>(random() % 2));
          break;
        case 1:
          damaged.insert(at, static_cast<uint8_t>(random()));
          break;
        case 2:
          damaged.insert(at, {0xFF, static_cast<uint8_t>(0xC0 + random() % 64)});
          break;
        default:
          *at = 0xFF;
      }
      compare(damaged, random, coding.text() + " splice " + std::to_string(round), tally);
    }
  }
  report(tally);
  EXPECT_GT(tally.both, 1000);
}

// libjpeg-turbo's fast path stops at such bytes, and the slow one goes on over its half-made block.
TEST(HostileJpeg, FillBytesWithinTheData) {
  std::mt19937 random(4);
  Tally tally;
  for (const Coding& coding : sound_files()) {
    Coding large = coding;
    large.height *= 4;
    const auto file = encode(large);
    for (size_t i = file.size() / 3; i + 1 < file.size(); ++i)
      if (file[i] == 0xFF && file[i + 1] == 0) {
        auto filled = file;
        filled.insert(filled.begin() + static_cast<ptrdiff_t>(i), random() % 3, 0xFF);
        compare(filled, random, large.text() + " filled at " + std::to_string(i), tally);
      }
  }
  EXPECT_GT(tally.both, 0);
  EXPECT_GT(tally.turbo_only, 0);
}

TEST(HostileJpeg, AnyQuantisationAndHuffmanBytes) {
  std::mt19937 random(3);
  Tally tally;
  for (const Coding& coding : sound_files()) {
    const auto file = encode(coding);
    for (const uint8_t marker : {uint8_t{0xC4}, uint8_t{0xDB}, uint8_t{0xC0}, uint8_t{0xDA}})
      for (int round = 0; round < 100; ++round) {
        auto damaged = file;
        for (size_t i = 2; i + 5 < file.size(); ++i)
          if (file[i] == 0xFF && file[i + 1] == marker) {
            damaged[i + 2 + random() % 30 % (file.size() - i - 2)] = static_cast<uint8_t>(random() % 20);
            i += 4;
          }
        compare(damaged, random, coding.text() + " tables " + std::to_string(round), tally);
      }
  }
  report(tally);
}

}  // namespace
}  // namespace penstock::codec::jpeg

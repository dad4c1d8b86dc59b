// Places of scans: with them the same pixels come out as without, whatever the file, the region and what is remembered.
#include "codec/jpeg/checkpoints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include <penstock/error.h>

#include "../files.h"
#include "codec/jpeg/headers.h"
#include "codec/jpeg/jpeg.h"
#include "codec/jpeg/sequential.h"
#include "core/temp_dir.h"
#include "corpus.h"

namespace penstock::codec::jpeg {
namespace {

constexpr size_t kMuch = size_t{64} << 20;

using File = std::vector<uint8_t>;
using test::TempDir;

std::optional<Pixels> decode_with(Checkpoints& checkpoints, const File& file, ImageType type, const Region& region) {
  static SequentialDecoder decoder;
  const Info info = peek(file);
  Pixels out(static_cast<size_t>(region.height * region.width) * make_engine()->samples(info, type).pixel_bytes());
  if (!decoder.decode(file, info, type, region, out.data(), &checkpoints)) return std::nullopt;
  return out;
}

// The region decoded first is the one after which places are known.
void expect_same(Checkpoints& checkpoints, const File& file, const std::string& what, std::mt19937& random,
                 int regions) {
  const Region all = whole_of(file);
  for (int i = 0; i < regions; ++i) {
    const ImageType type = i % 3 == 2 ? ImageType::kGray : ImageType::kAnyData;
    const Region region = random_region(random, all);
    ASSERT_EQ(decode_with(checkpoints, file, type, region), own_decode(file, type, region))
        << what << " round " << i << " y0 " << region.y0 << " x0 " << region.x0 << " h " << region.height << " w "
        << region.width;
  }
}

std::span<const uint16_t> places_of(const Checkpoints& checkpoints, const File& file) {
  const auto found = checkpoints.find(key_of(file));
  return found ? *found : std::span<const uint16_t>();
}

Factors luma(int h, int v) { return {{{h, v}, {1, 1}, {1, 1}, {h, v}}}; }

TEST(Checkpoints, EverySubsamplingColourAndSizeIsTheSame) {
  std::mt19937 random(1);
  Checkpoints checkpoints(kMuch, {});
  for (const auto& [h, v] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}})
    for (const Stored stored : {Stored::kGray, Stored::kYCbCr, Stored::kRgb, Stored::kCmyk, Stored::kYcck})
      for (const auto& [height, width] : {std::pair{199, 333}, {16, 16}, {1, 1}, {5, 700}, {700, 5}, {101, 257}}) {
        if (h * v > 4 && stored >= Stored::kCmyk) continue;  // too many blocks in an MCU
        const Coding coding{.height = height,
                            .width = width,
                            .stored = stored,
                            .factors = luma(h, v),
                            .restart_interval = static_cast<int>(random() % 3) * 7,
                            .optimised = random() % 2 == 0,
                            .noise = static_cast<double>(random() % 3) / 4,
                            .seed = static_cast<unsigned>(random())};
        expect_same(checkpoints, encode(coding), coding.text(), random, 9);
      }
}

TEST(Checkpoints, EveryRestartIntervalIsTheSame) {
  std::mt19937 random(2);
  Checkpoints checkpoints(kMuch, {});
  for (int interval = 1; interval <= 90; ++interval) {
    const Coding coding{.height = 150, .width = 331, .factors = luma(2, 1), .restart_interval = interval, .noise = .2};
    const File file = encode(coding);
    expect_same(checkpoints, file, coding.text(), random, 12);
    EXPECT_FALSE(places_of(checkpoints, file).empty()) << interval;
  }
}

// From a known place on, what lies before it is not looked at: the file may say there what it likes. What cannot be
// decoded by places is decoded from the start, which this file does not allow.
TEST(Checkpoints, WhatLiesBeforeTheRegionIsNotDecoded) {
  std::mt19937 random(9);
  for (const int interval : {0, 33}) {
    const File file = encode({.height = 400, .width = 400, .quality = 99, .restart_interval = interval, .noise = .5});
    Headers headers;
    ASSERT_TRUE(read_headers(file, headers));
    Checkpoints known(kMuch, {}), other(kMuch, {});
    ASSERT_TRUE(decode_with(known, file, ImageType::kRGB, {200, 200, 50, 50}));
    File damaged = file;
    for (size_t i = 0; i < 500; ++i) damaged[headers.scan_begin + i] = i % 2 == 0 ? 0xFF : 0xFE;
    const auto places = places_of(known, file);
    other.add(key_of(damaged), PackedPlaces(places.begin(), places.end()));
    for (int round = 0; round < 300; ++round) {
      Region low = random_region(random, {0, 0, 200, 400});
      low.y0 += 200;
      ASSERT_EQ(decode_with(other, damaged, ImageType::kRGB, low), own_decode(file, ImageType::kRGB, low)) << round;
    }
  }
}

TEST(Checkpoints, AChangedFileIsNotDecodedByOldPlaces) {
  std::mt19937 random(3);
  Checkpoints checkpoints(kMuch, {});
  Coding coding{.height = 200, .width = 300, .factors = luma(2, 2), .noise = .1};
  for (unsigned seed = 0; seed < 20; ++seed) {
    coding.seed = seed;
    expect_same(checkpoints, encode(coding), coding.text(), random, 3);
  }
  // Bytes that change at the same length.
  File file = encode(coding);
  for (int round = 0; round < 300; ++round) {
    File changed = file;
    changed[changed.size() - 1 - random() % (changed.size() - 700)] ^= 1U << random() % 8;
    expect_same(checkpoints, changed, "changed " + std::to_string(round), random, 2);
  }
}

TEST(Checkpoints, TruncatedFilesAreTakenAndRefusedAsWithout) {
  std::mt19937 random(4);
  Checkpoints checkpoints(kMuch, {});
  for (const int interval : {0, 5}) {
    const Coding coding{.height = 90, .width = 120, .restart_interval = interval, .noise = .05};
    const File file = encode(coding);
    for (size_t size = file.size() / 4; size < file.size(); size += 1 + random() % 7)
      expect_same(checkpoints, File(file.begin(), file.begin() + static_cast<ptrdiff_t>(size)),
                  coding.text() + " cut off at " + std::to_string(size), random, 3);
  }
}

// Restart markers lead past damage, unless all places are to be noted.
TEST(Checkpoints, DamageBesideTheRegionIsNotInTheWay) {
  std::mt19937 random(5);
  Checkpoints checkpoints(kMuch, {});
  const File file = encode({.height = 160, .width = 160, .restart_interval = 20, .noise = .1});
  for (int round = 0; round < 500; ++round) {
    File damaged = file;
    damaged[700 + random() % (file.size() - 702)] ^= 1U << random() % 8;
    expect_same(checkpoints, damaged, "damage " + std::to_string(round), random, 3);
  }
}

TEST(Checkpoints, KeysTellFilesApart) {
  File file(1000, 0);
  std::map<FileKey, size_t> keys;
  for (size_t size = 0; size <= file.size(); ++size) keys[key_of(std::span(file).first(size))] = size;
  EXPECT_EQ(keys.size(), file.size() + 1);
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] ^= 1U << bit % 8;
    EXPECT_TRUE(keys.emplace(key_of(file), bit).second) << bit;
    file[bit / 8] = 0;
  }
}

TEST(Checkpoints, MemoryIsWithinTheLimit) {
  Checkpoints checkpoints(10'000, {});
  EXPECT_TRUE(checkpoints.has_room());
  for (uint64_t i = 0; i < 100; ++i) checkpoints.add({.size = i}, PackedPlaces(500));
  int kept = 0;
  for (uint64_t i = 0; i < 100; ++i) kept += checkpoints.find({.size = i}) ? 1 : 0;
  EXPECT_GE(kept, 7);
  EXPECT_LE(kept, 9);
  EXPECT_TRUE(checkpoints.find({.size = 0}));  // the first stay
  EXPECT_FALSE(checkpoints.has_room());
  std::mt19937 random(10);
  const File file = encode({.height = 120, .width = 200, .noise = .1});
  expect_same(checkpoints, file, "without room", random, 5);
  EXPECT_FALSE(checkpoints.find(key_of(file)));
}

TEST(Checkpoints, ThreadsMayShareThem) {
  TempDir folder;
  Checkpoints checkpoints(kMuch, folder / "places");
  std::vector<File> files;
  for (unsigned i = 0; i < 8; ++i) files.push_back(encode({.height = 120, .width = 200, .noise = .1, .seed = i}));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      SequentialDecoder with, without;
      for (int round = 0; round < 200; ++round) {
        const File& file = files[random() % files.size()];
        const Region region = random_region(random, {0, 0, 120, 200});
        const Info info = peek(file);
        Pixels a(static_cast<size_t>(region.height * region.width) * 3), b(a.size());
        if (!with.decode(file, info, ImageType::kRGB, region, a.data(), &checkpoints) ||
            !without.decode(file, info, ImageType::kRGB, region, b.data()) || a != b)
          ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (const File& file : files) EXPECT_FALSE(places_of(checkpoints, file).empty());
}

class CheckpointFile : public ::testing::Test {
 protected:
  CheckpointFile() {
    Checkpoints first(kMuch, path_);
    for (unsigned i = 0; i < 3; ++i) {
      files_.push_back(encode({.height = 100, .width = 200, .noise = .1, .seed = i}));
      decode_with(first, files_.back(), ImageType::kRGB, {50, 50, 20, 20});
      const auto places = places_of(first, files_.back());
      places_.emplace_back(places.begin(), places.end());
    }
  }
  size_t known(const Checkpoints& checkpoints) const {
    size_t count = 0;
    for (size_t i = 0; i < files_.size(); ++i) {
      const auto places = places_of(checkpoints, files_[i]);
      if (std::ranges::equal(places, places_[i])) ++count;
      EXPECT_TRUE(places.empty() || std::ranges::equal(places, places_[i])) << i;
    }
    return count;
  }
  File bytes() const { return read_file(path_); }
  void write(const File& bytes) const {
    folder_.write("places", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  TempDir folder_;
  std::string path_ = folder_ / "places";
  std::vector<File> files_;
  std::vector<PackedPlaces> places_;
};

TEST_F(CheckpointFile, ServesTheNextRun) {
  EXPECT_FALSE(places_[0].empty());
  const auto size = bytes().size();
  std::mt19937 random(6);
  Checkpoints again(kMuch, path_);
  EXPECT_EQ(known(again), 3U);
  for (const File& file : files_) expect_same(again, file, "again", random, 5);
  EXPECT_EQ(bytes().size(), size);  // nothing was new
}

TEST_F(CheckpointFile, IsReadWithinTheLimitOfMemory) {
  const File whole = bytes();
  EXPECT_EQ(known(Checkpoints(1000, path_)), 1U);
  EXPECT_EQ(bytes(), whole);
}

TEST_F(CheckpointFile, OfManyProcessesHoldsEachRecordOnce) {
  const File whole = bytes();
  write({});
  Checkpoints one(kMuch, path_), other(kMuch, path_);
  for (size_t i = 0; i < files_.size(); ++i) {
    (i % 2 == 0 ? one : other).add(key_of(files_[i]), places_[i]);
    (i % 2 == 0 ? other : one).add(key_of(files_[i]), places_[i]);
  }
  EXPECT_EQ(bytes(), whole);
  EXPECT_EQ(known(one), 3U);
  EXPECT_EQ(known(other), 3U);
}

TEST_F(CheckpointFile, DamageCostsWhatFollowsItAndIsRepaired) {
  std::mt19937 random(7);
  const File sound = bytes();
  size_t fewer = 0;
  for (int round = 0; round < 400; ++round) {
    File damaged = sound;
    if (round % 2 == 0) damaged.resize(4 + random() % (sound.size() - 4));
    if (round % 2 == 1) damaged[4 + random() % (sound.size() - 4)] ^= 1U << random() % 8;
    write(damaged);
    Checkpoints rest(kMuch, path_);
    const size_t left = known(rest);  // and none that is wrong
    fewer += left < 3 ? 1 : 0;
    for (size_t i = 0; i < files_.size(); ++i) rest.add(key_of(files_[i]), places_[i]);
    EXPECT_EQ(known(Checkpoints(kMuch, path_)), 3U) << round;
  }
  EXPECT_EQ(fewer, 400U);
}

TEST_F(CheckpointFile, OtherVersionsAreReplaced) {
  File other = bytes();
  ++other[4];
  write(other);
  EXPECT_EQ(known(Checkpoints(kMuch, path_)), 0U);
  EXPECT_TRUE(bytes().empty());
}

TEST_F(CheckpointFile, OtherFilesAreRefusedAndLeftAlone) {
  const std::string script = folder_.write("train.py", "import penstock");
  EXPECT_THROW(Checkpoints(kMuch, script), ArgumentError);
  EXPECT_EQ(read_file(script).size(), 15U);
  EXPECT_THROW(Checkpoints(kMuch, folder_.path()), ArgumentError);
  EXPECT_THROW(Checkpoints(kMuch, folder_ / "none/places"), ArgumentError);
}

// What a stranger may write: sound records with places that mean nothing. Pixels are then anybody's guess, but nothing
// is read out of bounds, and what cannot be is decoded from the start.
TEST(Checkpoints, AnyPlacesAtAllAreSafe) {
  std::mt19937 random(8);
  for (const int interval : {0, 9}) {
    const File file =
        encode({.height = 120, .width = 200, .factors = luma(2, 1), .restart_interval = interval, .noise = .1});
    Checkpoints sound(kMuch, {});
    decode_with(sound, file, ImageType::kRGB, {50, 50, 20, 20});
    const auto places = places_of(sound, file);
    for (int round = 0; round < 400; ++round) {
      PackedPlaces wild(places.begin(), places.end());
      if (round % 4 == 0) wild.resize(random() % (2 * wild.size()));
      for (uint16_t& word : wild)
        if (random() % (round % 4 + 1) == 0) word = static_cast<uint16_t>(random() % 2 == 0 ? random() : random() % 64);
      Checkpoints hostile(kMuch, {});
      hostile.add(key_of(file), std::move(wild));
      const Region region = random_region(random, {0, 0, 120, 200});
      EXPECT_TRUE(decode_with(hostile, file, ImageType::kRGB, region));
    }
  }
}

}  // namespace
}  // namespace penstock::codec::jpeg

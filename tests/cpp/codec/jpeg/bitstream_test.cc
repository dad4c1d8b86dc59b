#include "codec/jpeg/bitstream.h"

#include <gtest/gtest.h>

#include "core/instruction_sets.h"
#include "core/random.h"

namespace penstock::codec::jpeg {
namespace {

using Bytes = std::vector<uint8_t>;

/// What an encoder makes of random bytes, of which one in `rarity` is 0xFF; `plain` are those bytes.
Bytes stuffed(size_t n, uint64_t rarity, Bytes& plain) {
  Bytes bytes;
  while (bytes.size() < n) {
    const uint64_t random = mix64(bytes.size() + rarity * n);
    plain.push_back(random % rarity == 0 ? 0xFF : static_cast<uint8_t>((random >> 32) % 255));
    bytes.push_back(plain.back());
    if (bytes.back() == 0xFF) bytes.push_back(0);
  }
  return bytes;
}

void expect_copied(const Bytes& bytes, size_t taken, const Bytes& plain) {
  Bytes out(bytes.size() + Bitstream::kPadding);
  const Copied copied = copy_sound(bytes, out.data());
  EXPECT_EQ(copied.taken, taken);
  ASSERT_EQ(copied.written, plain.size());
  out.resize(copied.written);
  EXPECT_TRUE(out == plain);
}

void expect_all_copied() {
  for (const size_t n : {0, 1, 62, 63, 64, 65, 127, 128, 129, 1000}) {
    for (const uint64_t rarity : {1, 3, 60, 100000}) {
      Bytes plain, bytes = stuffed(n, rarity, plain);
      const size_t all = bytes.size();
      expect_copied(bytes, all, plain);
      bytes.push_back(0xFF);  // cut off there
      expect_copied(bytes, all, plain);
      bytes.insert(bytes.end(), {0xD9, 0, 1, 0xFF, 0});  // a marker, and more
      bytes.resize(bytes.size() + 200);
      expect_copied(bytes, all, plain);
      bytes[all + 1] = 0xFF;  // a fill byte
      expect_copied(bytes, all, plain);
    }
  }
}

/// Two stretches one after the other, from a place that is aligned, or not.
void expect_past_caches(const Bytes& bytes, size_t offset) {
  Bytes first(bytes.size() + Bitstream::kPadding), memory(2 * first.size() + 128, 0xEE);
  const Copied once = copy_sound(bytes, first.data());
  first.resize(once.written);
  uint8_t* const aligned = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64);
  uint8_t* const to = aligned + offset;
  PastCaches out(to);
  for (int i = 0; i < 2; ++i) {
    const Copied copied = out.copy_sound(bytes);
    ASSERT_EQ(copied.taken, once.taken);
    ASSERT_EQ(copied.written, once.written);
  }
  out.finish();
  ASSERT_EQ(out.written(), 2 * once.written);
  Bytes expected = first;
  expected.insert(expected.end(), first.begin(), first.end());
  expected.resize(expected.size() + Bitstream::kPadding, 0);
  expected.push_back(0xEE);  // and no more
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), to));
}

void expect_all_past_caches() {
  for (const size_t n : {0, 1, 63, 64, 4000, 4095, 4096, 4097, 8191, 8192, 8193, 30000}) {
    for (const uint64_t rarity : {1, 3, 60, 100000}) {
      Bytes plain, bytes = stuffed(n, rarity, plain);
      for (const size_t offset : {0, 1}) {
        expect_past_caches(bytes, offset);
        Bytes more = bytes;
        more.insert(more.end(), {0xFF, 0xD9, 1, 0xFF, 0});  // a marker, and more
        more.resize(more.size() + 5000);
        expect_past_caches(more, offset);
      }
    }
  }
  Bytes split(9000, 1);  // a 0xFF that ends the window, whose zero or marker is in the next one
  split[4095] = 0xFF;
  for (const uint8_t behind : {0x00, 0xD0}) {
    split[4096] = behind;
    expect_past_caches(split, 0);
  }
}

TEST(Bitstream, StuffingIsLeftOutUpToAMarker) { test::with_every_instruction_set(expect_all_copied); }

TEST(Bitstream, AScanEndsWithTheFirstMarkerThatDividesNothing) {
  for (const Bytes& scan : {Bytes{0xFF, 0xD9}, Bytes{1, 0xFF, 0, 0xFF, 0xD9},
                            Bytes{0xFF, 0xD0, 7, 0xFF, 0xD7, 0xFF, 0xDC}, Bytes{3, 0xFF, 0xFF, 0xFF, 0xD9}}) {
    Bytes bytes = scan;
    EXPECT_EQ(end_of_scan(bytes), scan.size());
    bytes.insert(bytes.end(), {5, 0xFF, 0xD8, 0xFF, 0xD9});
    EXPECT_EQ(end_of_scan(bytes), scan.size());
    EXPECT_EQ(end_of_scan(std::span(bytes).first(scan.size() - 1)), scan.size() - 1) << "it is cut off";
  }
  EXPECT_EQ(end_of_scan({}), 0U);
}

TEST(Bitstream, ThereIsAWayPastTheCaches) { test::with_every_instruction_set(expect_all_past_caches); }

}  // namespace
}  // namespace penstock::codec::jpeg

#include "codec/jpeg/bitstream.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

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

TEST(Bitstream, StuffingIsLeftOutUpToAMarker) {
  for (auto left = static_cast<uint64_t>(hwy::SupportedTargets()); left != 0; left &= left - 1) {
    const auto target = static_cast<int64_t>(left & -left);
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    expect_all_copied();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace penstock::codec::jpeg

// The GPU's kernel that frees scans of stuffed bytes, its threads played by the host's: bytes are the host's.
#include "pipeline/jpeg_on_threads.h"

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/stuffed_scan.h"

namespace penstock {
namespace {

using namespace codec::jpeg;
using Bytes = std::vector<uint8_t>;

/// As an encoder makes them of bytes that are 0xFF more often than those of files.
Bytes stuffed(size_t count, uint32_t one_in) {
  std::mt19937 random(static_cast<uint32_t>(count));
  Bytes bytes = {0};  // of the header
  while (bytes.size() <= count) {
    bytes.push_back(static_cast<uint8_t>(random() % one_in == 0 ? 0xFF : random() % 255));
    if (bytes.back() == 0xFF) bytes.push_back(0);
  }
  return bytes;
}

/// What `strips` thread blocks make of it.
Bytes freed(std::span<const uint8_t> scan, uint32_t strips) {
  std::vector<uint4> memory(scan.size() / sizeof(uint4) + 8);
  auto* copy = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  std::vector<uint32_t> kept_before;
  EXPECT_TRUE(copy_stuffed(scan, copy, kept_before));
  std::vector<uint32_t> words((kept_before.back() + Bitstream::kPadding + 3) / 4 + 1, 0xA5A5A5A5);
  std::array<ScanJob, 2> jobs;
  jobs[1].stuffed = reinterpret_cast<const uint32_t*>(copy);
  jobs[1].stuffed_bytes = static_cast<uint32_t>(scan.size());
  jobs[1].kept_before = kept_before.data();
  jobs[1].words = words.data();
  cuda::on_threads::run_grid(strips, jobs.size(), cuda::kStuffingThreads, [&] { cuda::stuffing_kernel(jobs.data()); });
  EXPECT_EQ(words.back(), 0xA5A5A5A5) << "wrote beyond the end";
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  return {bytes, bytes + kept_before.back() + Bitstream::kPadding};
}

TEST(JpegStuffing, BytesAreTheHosts) {
  for (const size_t count : {0, 1, 3, 4, 127, 128, 129, 4096, 4097, 8200, 100'000})
    for (const uint32_t one_in : {2, 30, 1000}) {
      Bytes scan = stuffed(count, one_in);
      scan.insert(scan.end(), {0xFF, 0xD9});
      Bitstream bits;
      ASSERT_TRUE(bits.take(std::span(scan).subspan(1), 1));
      const auto segment = bits.segment(0);
      Bytes expected(segment.begin(), segment.end());
      expected.insert(expected.end(), Bitstream::kPadding, 0);
      for (const uint32_t strips : {1U, 3U})
        EXPECT_EQ(freed(std::span(scan).subspan(1, scan.size() - 3), strips), expected) << count << ' ' << one_in;
    }
}

}  // namespace
}  // namespace penstock

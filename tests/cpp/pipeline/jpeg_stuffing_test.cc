// The GPU's kernel that frees scans of stuffed bytes, its threads played by the host's: bytes are the host's.
#include "pipeline/jpeg_on_threads.h"

#include "codec/jpeg/bitstream.h"

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

/// What the GPU makes of a scan, behind which anything may lie.
struct Freed {
  Bytes bytes;  // with what is behind them
  ScanJob job;
  Segment segment;
  int32_t refused = 0;
};

Freed freed(std::span<const uint8_t> scan) {
  std::vector<uint32_t> stuffed(scan.size() / sizeof(uint32_t) + 1, ~0U);
  std::ranges::copy(scan, reinterpret_cast<uint8_t*>(stuffed.data()));
  Freed found;
  std::vector<uint32_t> words((scan.size() + Bitstream::kPadding + 3) / 4 + 1, 0xA5A5A5A5);
  std::array<ScanJob, 2> jobs;
  ScanJob& job = jobs[1];
  job.stuffed = stuffed.data();
  job.stuffed_bytes = static_cast<uint32_t>(scan.size());
  job.words = words.data();
  job.counted = &found.segment;
  job.refused = &found.refused;
  job.blocks = 77;
  cuda::on_threads::run_grid(jobs.size(), 1, cuda::kStuffingThreads, [&] { cuda::stuffing_kernel(jobs.data()); });
  EXPECT_EQ(words.back(), 0xA5A5A5A5) << "wrote beyond the end";
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  found.bytes = {bytes, bytes + found.segment.end / 8 + Bitstream::kPadding};
  found.job = job;
  return found;
}

TEST(JpegStuffing, BytesAreTheHosts) {
  for (const size_t count : {1, 3, 4, 127, 128, 129, 1024, 1025, 4096, 4097, 20'000})
    for (const uint32_t one_in : {2U, 30U, 1000U}) {
      Bytes scan = stuffed(count, one_in);
      scan.insert(scan.end(), {0xFF, 0xD9});
      Bitstream bits;
      ASSERT_TRUE(bits.take(std::span(scan).subspan(1), 1));
      const auto segment = bits.segment(0);
      Bytes expected(segment.begin(), segment.end());
      expected.insert(expected.end(), Bitstream::kPadding, 0);
      const Freed found = freed(std::span(scan).subspan(1, scan.size() - 3));
      EXPECT_EQ(found.bytes, expected) << count << ' ' << one_in;
      EXPECT_EQ(found.refused, 0);
      EXPECT_EQ(found.segment.blocks, 77U);
      EXPECT_EQ(found.job.pieces, ScanJob::pieces_of(found.segment.end, found.job.piece_bits));
      EXPECT_LE(found.job.pieces, uint32_t{ScanJob::kThreads});
      EXPECT_GE(found.job.pieces * found.job.piece_bits, found.segment.end);
    }
}

TEST(JpegStuffing, MarkersAndFillBytesAreRefused) {
  for (const size_t size : {70, 9000})
    for (const size_t at : {size_t{0}, size_t{3}, size_t{62}, size - 2, size / 2 / 1024 * 1024 + 7})
      for (const uint8_t behind : {0xD9, 0xD0, 0xFF, 0x01}) {
        Bytes scan(size, 7);
        scan[at] = 0xFF;
        scan[at + 1] = behind;
        EXPECT_EQ(freed(scan).refused, 1) << size << ' ' << at << ' ' << int{behind};
      }
}

}  // namespace
}  // namespace penstock

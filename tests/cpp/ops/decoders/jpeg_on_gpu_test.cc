// What the host tells a GPU of a JPEG file: the whole scan, or the runs that a window needs.
#include "ops/decoders/jpeg_on_gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "../run_op.h"
#include "codec/jpeg/encode.h"
#include "device/fake_backend.h"

namespace penstock {
namespace {

using codec::jpeg::ScanJob;

constexpr int kHeight = 240, kWidth = 320;
constexpr int kTeam = 16;  // as an H100 has

std::vector<uint8_t> jpeg(int factor) {
  test::HostTensor image = test::test_image(kHeight, kWidth, 3);
  return codec::encode_jpeg({image.desc, image.bytes.data()}, {.quality = 90, .subsampling = {factor, factor}});
}

class JpegOnGpuTest : public ::testing::Test {
 protected:
  /// The job of a window's rows [y0, y0 + height), all columns; the bytes for it are in sent_.
  ScanJob describe(const JpegFile& file, int y0, int height, int batch_size, bool checkpoints) {
    const codec::Info info = codec::peek(file.bytes);
    codec::Request request{.y0 = y0, .height = height, .width = kWidth};
    if (checkpoints) request.checkpoints = &checkpoints_;
    ScanJob job;
    job.height = height;
    job.width = kWidth;
    job.channels = 3;
    device::StagingMemory memory{gpu_, backend_->make_stream(0)};
    device::Staging staging{memory};
    const JpegBatch batch{.files = batch_size, .most_team = kTeam, .example = example_};
    EXPECT_TRUE(decoder_.describe(file, info, request, batch, staging, job));
    sent_ = memory.bytes();
    return job;
  }

  std::shared_ptr<device::test::FakeBackend> backend_ = std::make_shared<device::test::FakeBackend>();
  device::Device gpu_{0, backend_};
  codec::jpeg::Checkpoints checkpoints_{1 << 20, {}};
  JpegOnGpu decoder_;
  const codec::jpeg::CodeTables* example_ = nullptr;
  size_t sent_ = 0;
};

TEST_F(JpegOnGpuTest, AScanThatIsPinnedComesWithItsBatch) {
  constexpr size_t kPage = 4096, kSlice = device::Pinnable::kSlice;
  const std::vector<uint8_t> file = jpeg(1);
  std::vector<uint8_t> memory(3 * kSlice);
  const auto slice = (reinterpret_cast<uintptr_t>(memory.data()) / kSlice + 2) * kSlice;
  auto* const there = reinterpret_cast<uint8_t*>(slice) - file.size() / 2;  // part of it was pinned by another call
  std::ranges::copy(file, there);
  auto* const pages = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(there) / kPage * kPage);
  device::Pinnable pinnable(std::as_bytes(std::span(pages, file.size() / kPage * kPage + 2 * kPage)));
  const auto described = [&](int batch_size) {
    return describe({{there, file.size()}, &pinnable}, 0, kHeight, batch_size, false);
  };
  EXPECT_EQ(described(256).pinned, nullptr) << "it is pinned for the next one";
  const size_t copied = sent_;
  ScanJob job = described(256);
  ASSERT_NE(job.pinned, nullptr);
  EXPECT_LT(sent_, copied - file.size() / 2);

  std::vector<std::byte> scratch(jpeg_scratch(job));
  std::vector<device::CopyJob> copies;
  connect_jpeg(job, {.scratch = scratch.data(), .copies = &copies});
  gpu_.runtime().copy_many(nullptr, copies, device::Begin::kInOrder);
  const auto scan = std::span(file).first(file.size() - 2).last(job.stuffed_bytes);
  EXPECT_GT(scan.size(), file.size() / 2);
  EXPECT_TRUE(std::ranges::equal(scan, std::span(reinterpret_cast<uint8_t*>(job.stuffed), scan.size())));
  EXPECT_EQ(described(64).pinned, nullptr) << "the host frees few files of stuffing";
}

TEST_F(JpegOnGpuTest, WithCheckpointsOnlyWhatAWindowNeedsIsSent) {
  const std::vector<uint8_t> file = jpeg(1);
  const ScanJob whole = describe({file}, 0, kHeight, 256, false);
  EXPECT_FALSE(whole.runs);
  EXPECT_EQ(whole.segment_count, 1U);
  const size_t all = sent_;
  const ScanJob part = describe({file}, 80, 40, 256, true);
  EXPECT_TRUE(part.runs);
  EXPECT_EQ(part.segment_count, part.pieces);
  EXPECT_EQ(part.pieces, 5U * 5);  // rows of MCUs, places in each
  EXPECT_LT(sent_, all / 2);
  EXPECT_TRUE(describe({file}, 0, kHeight, 256, true).runs);
}

TEST_F(JpegOnGpuTest, AFilmBehindAPictureIsNotSent) {
  const std::vector<uint8_t> file = jpeg(2);
  std::vector<uint8_t> motion = file;
  motion.resize(file.size() + (3 << 20), 0x55);
  for (const int batch_size : {1, 256})
    for (const bool checkpoints : {false, true}) {
      describe({file}, 0, kHeight, batch_size, checkpoints);
      const size_t without = sent_;
      describe({motion}, 0, kHeight, batch_size, checkpoints);
      EXPECT_EQ(sent_, without) << batch_size << ' ' << checkpoints;
    }
}

TEST_F(JpegOnGpuTest, WhereThreadsAreToSpareAScanThatFallsIntoStepSoonNeedsNoRuns) {
  EXPECT_FALSE(describe({jpeg(1)}, 0, kHeight, 1, true).runs);
  EXPECT_FALSE(describe({jpeg(1)}, 0, kHeight, 64, true).runs);
  EXPECT_TRUE(describe({jpeg(1)}, 0, kHeight, 65, true).runs);
  EXPECT_TRUE(describe({jpeg(2)}, 0, kHeight, 1, true).runs);
}

TEST_F(JpegOnGpuTest, OnlyCodesThatAreTheExamplesGoByTheirTables) {
  const std::unique_ptr<const codec::jpeg::CodeTables> tables = codec::jpeg::make_example_tables();
  example_ = tables.get();
  std::vector<uint8_t> file = jpeg(2);
  const ScanJob usual = describe({file}, 0, kHeight, 256, false);
  EXPECT_EQ(usual.entries, tables->entries.data());
  EXPECT_EQ(usual.codes, &tables->codes);
  // Two symbols of the first table of AC codes change places.
  const std::array<uint8_t, 4> dht_ac = {0xFF, 0xC4, 0x00, 0xB5};
  const auto table = std::search(file.begin(), file.end(), dht_ac.begin(), dht_ac.end());
  ASSERT_NE(table, file.end());
  std::swap(table[2 + 2 + 1 + 16], table[2 + 2 + 1 + 16 + 1]);
  const ScanJob other = describe({file}, 0, kHeight, 256, false);
  EXPECT_EQ(other.entries, nullptr);
  EXPECT_NE(other.codes, &tables->codes);
}

}  // namespace
}  // namespace penstock

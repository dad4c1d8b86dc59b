// The GPU's entropy decoding, its threads played by the host's: coefficients are the serial decoder's.
#include "cuda/jpeg_entropy.cuh"
#include "gpu_on_threads/threads.h"

#include <gtest/gtest.h>

#include <random>

#include "codec/jpeg/encode.h"
#include "codec/jpeg/entropy.h"
#include "device/fake_backend.h"
#include "ops/decoders/jpeg_on_gpu.h"
#include "ops/run_op.h"

namespace penstock {
namespace {

using namespace codec::jpeg;

/// Smooth with noise on top, so that blocks of all kinds are in it.
std::vector<uint8_t> picture(int64_t height, int64_t width, int factor) {
  std::mt19937 random(static_cast<uint32_t>(height));
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < height * width * 3; ++i)
    pixels.push_back(
        static_cast<uint8_t>(i / 3 % width + i / 3 / width + i % 3 * 40 + random() % (i / 9000 % 2 == 0 ? 40 : 4)));
  test::HostTensor image(Shape{height, width, 3}, "HWC", pixels);
  return codec::encode_jpeg({image.desc, image.bytes.data()}, {.quality = 88, .subsampling = {factor, factor}});
}

/// How a file is decoded.
struct Setting {
  int most_team = 1;
  int batch_size = 256;
  uint32_t warps = 16;  // that collect blocks at a time
  bool checkpoints = false;
  bool example = false;  // tables of the codes that most files have are there
};

class JpegEntropyTest : public ::testing::Test {
 protected:
  /// Decodes a window; job_ then says where its coefficients lie.
  void decode(std::span<const uint8_t> file, const codec::Region& window, const Setting& setting) {
    const codec::Info info = codec::peek(file);
    codec::Request request{.y0 = window.y0, .x0 = window.x0, .height = window.height, .width = window.width};
    if (setting.checkpoints) request.checkpoints = &checkpoints_;
    const auto backend = std::make_shared<device::test::FakeBackend>();
    backend->team = setting.most_team;
    device::Device gpu(0, backend);
    device::StagingMemory memory(gpu, backend->make_stream(0));
    device::Staging staging(memory);
    job_ = {};
    job_.height = static_cast<int>(window.height);
    job_.width = static_cast<int>(window.width);
    job_.channels = 3;
    JpegOnGpu decoder;
    const std::unique_ptr<const CodeTables> tables = setting.example ? make_example_tables() : nullptr;
    ASSERT_TRUE(decoder.describe(file, info, request, {setting.batch_size, tables.get()}, staging, job_));
    memory.upload();
    memory_.assign(jpeg_scratch(job_) / sizeof(uint4) + 1, uint4{~0U, ~0U, ~0U, ~0U});
    refused_ = 0;
    connect_jpeg(job_, {.scratch = reinterpret_cast<std::byte*>(memory_.data()), .refused = &refused_});
    const auto team = static_cast<uint32_t>(ScanJob::team_for(setting.batch_size, setting.most_team));
    cuda::on_threads::run(team, ScanJob::kThreads, cuda::EntropyMemory::bytes(team, setting.warps),
                          [&] { cuda::entropy_kernel(&job_, setting.warps); });
  }

  /// Blocks of the window that are not the serial decoder's.
  size_t wrong_blocks(std::span<const uint8_t> file) const {
    Headers headers;
    Bitstream bits;
    EntropyDecoder decoder;
    EXPECT_TRUE(read_headers(file, headers) && bits.take(file.subspan(headers.scan_begin), headers.frame.segments()));
    EXPECT_TRUE(decoder.prepare(headers) && decoder.start(bits));
    std::vector<int16_t> all(size_t{job_.blocks} * 64 + EntropyDecoder::kSpill);
    EXPECT_TRUE(decoder.read(headers.frame.mcus(), all.data()));
    size_t wrong = 0;
    const int16_t* found = job_.coefficients;
    for (const WantedPlane& w : job_.wanted)
      for (int row = w.rows.begin; row < w.rows.end; ++row)
        for (int column = w.columns.begin; column < w.columns.end; ++column, found += 64) {
          const size_t block = number_of(w, row, column);
          const int16_t* expected = &all[block * 64];
          wrong += job_.dc[block] != expected[0] || !std::equal(found + 1, found + 64, expected + 1) ? 1 : 0;
        }
    return wrong;
  }

  size_t number_of(const WantedPlane& w, int row, int column) const {
    const int down = w.plane.block_rows, across = w.plane.blocks;
    const int mcu = row / down * job_.mcu_columns + column / across;
    return static_cast<size_t>(mcu * job_.mcu_blocks + w.first + row % down * across + column % across);
  }

  void expect_same(std::span<const uint8_t> file, const codec::Region& window, const Setting& setting) {
    decode(file, window, setting);
    EXPECT_EQ(refused_, 0);
    EXPECT_EQ(job_.runs, setting.checkpoints);
    EXPECT_EQ(wrong_blocks(file), 0U) << setting.batch_size << ' ' << setting.warps << ' ' << window.y0;
  }

  Checkpoints checkpoints_{1 << 20, {}};
  ScanJob job_;
  std::vector<uint4> memory_;
  int32_t refused_ = 0;
};

TEST_F(JpegEntropyTest, PiecesGiveTheSerialDecodersCoefficients) {
  for (const int factor : {1, 2}) {
    const std::vector<uint8_t> file = picture(90, 130, factor);
    for (const Setting& setting : {Setting{}, Setting{.warps = 4}, Setting{.most_team = 2, .batch_size = 1}})
      expect_same(file, {0, 0, 90, 130}, setting);
    expect_same(file, {21, 50, 30, 41}, {});
  }
}

TEST_F(JpegEntropyTest, TablesThatAreThereGiveTheSameCoefficients) {
  const std::vector<uint8_t> file = picture(90, 130, 2);
  expect_same(file, {0, 0, 90, 130}, {.example = true});
  EXPECT_NE(job_.entries, nullptr);
  expect_same(file, {21, 50, 30, 41}, {.checkpoints = true, .example = true});
  EXPECT_NE(job_.entries, nullptr);
}

TEST_F(JpegEntropyTest, RunsGiveTheSerialDecodersCoefficients) {
  const std::vector<uint8_t> file = picture(90, 300, 2);
  for (const codec::Region& window : {codec::Region{0, 0, 90, 300}, codec::Region{33, 200, 20, 60}})
    for (const uint32_t warps : {16U, 8U}) expect_same(file, window, {.warps = warps, .checkpoints = true});
}

TEST_F(JpegEntropyTest, WhatIsNoJpegIsRefused) {
  std::vector<uint8_t> file = picture(90, 130, 1);
  std::fill(file.end() - 600, file.end() - 300, uint8_t{0xFE});  // no code begins with so many ones
  decode(file, {0, 0, 90, 130}, {});
  EXPECT_EQ(refused_, 1);
}

}  // namespace
}  // namespace penstock

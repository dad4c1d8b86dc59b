#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <latch>

#include "../run_op.h"
#include "codec/jpeg/encode.h"
#include "device/fake_backend.h"
#include "ops/decoders/decoder_choice.h"
#include "ops/decoders/jpeg_on_gpu.h"

namespace penstock {
namespace {

using codec::jpeg::ScanJob;
using device::EnginePicture;

constexpr int kHeight = 136, kWidth = 203;

std::vector<uint8_t> jpeg(int height, int width, int channels = 3) {
  test::HostTensor image = test::test_image(height, width, channels);
  return codec::encode_jpeg({image.desc, image.bytes.data()}, {.quality = 90, .subsampling = {1, 1}});
}

/// Decodes gray files, whose pixels are their samples; fills the planes of others with a number for each component.
class FakeEngine final : public device::JpegEngine {
 public:
  void decode(std::span<EnginePicture> pictures) override {
    for (EnginePicture& picture : pictures) {
      const codec::Info info = codec::peek(picture.file);
      std::vector<std::byte> pixels(static_cast<size_t>(info.height * info.width * info.channels));
      const codec::Request gray{.type = ImageType::kAnyData, .height = info.height, .width = info.width};
      codec::Decoder().decode(picture.file, info, gray, pixels.data());
      for (size_t c = 0; c < static_cast<size_t>(info.channels); ++c)
        for (size_t y = 0; y < static_cast<size_t>(info.height); ++y) {
          auto* row = static_cast<std::byte*>(picture.planes[c]) + y * picture.pitches[c];
          if (info.channels == 1)
            std::copy_n(pixels.data() + y * static_cast<size_t>(info.width), info.width, row);
          else
            std::fill_n(row, info.width, static_cast<std::byte>(c + 1));
        }
      picture.decoded = !fails;
    }
  }
  static inline bool fails = false;
};

class JpegOnEngineTest : public ::testing::Test {
 protected:
  explicit JpegOnEngineTest(bool engine = true) {
    FakeEngine::fails = false;
    if (engine) backend_->make_engine = [] { return std::make_unique<FakeEngine>(); };
  }
  /// Describes the middle of the picture and waits for the engine.
  bool describe(std::span<const uint8_t> file, ImageType type = ImageType::kRGB) {
    const codec::Info info = codec::peek(file);
    const codec::Request request{.type = type, .y0 = 3, .x0 = 5, .height = info.height - 9, .width = info.width - 11};
    job_ = {};
    job_.height = static_cast<int>(request.height);
    job_.width = static_cast<int>(request.width);
    job_.channels = static_cast<int>(codec::describe(info, request).shape[2]);
    const bool taken = decoder_.describe_for_engine(file, info, request, staging_, job_);
    std::latch done(1);
    if (!memory_.outside().done_or([&] { done.count_down(); })) done.wait();
    return taken;
  }

  std::shared_ptr<device::test::FakeBackend> backend_ = std::make_shared<device::test::FakeBackend>();
  device::Device gpu_{0, backend_, backend_->engine()};
  device::StagingMemory memory_{gpu_, backend_->make_stream(0)};
  device::Staging staging_{memory_};
  JpegOnGpu decoder_;
  ScanJob job_;
};

class WithoutEngineTest : public JpegOnEngineTest {
 protected:
  WithoutEngineTest() : JpegOnEngineTest(false) {}
};

TEST_F(JpegOnEngineTest, GivesTheSamplesOfTheWholeFile) {
  const std::vector<uint8_t> file = jpeg(kHeight, kWidth, 1);
  ASSERT_TRUE(describe(file, ImageType::kGray));
  std::vector<std::byte> whole(kHeight * kWidth);
  const codec::Info info = codec::peek(file);
  codec::Decoder().decode(file, info, {.type = ImageType::kGray, .height = kHeight, .width = kWidth}, whole.data());
  const auto stride = static_cast<size_t>(job_.wanted[0].stride());
  for (size_t y = 0; y < kHeight; ++y)
    ASSERT_EQ(std::memcmp(job_.samples + y * stride, whole.data() + y * kWidth, kWidth), 0) << y;
  EXPECT_EQ(job_.pieces, 0U);
  EXPECT_EQ(job_.y0, 3);
  EXPECT_EQ(job_.x0, 5);
}

TEST_F(JpegOnEngineTest, ComponentsLieSideBySide) {
  ASSERT_TRUE(describe(jpeg(kHeight, kWidth)));
  ASSERT_EQ(job_.planes, 3);
  for (size_t c = 0; c < 3; ++c) {
    const auto& plane = job_.wanted[c];
    const uint8_t* first = job_.samples + size_t{plane.blocks_before} * 64;
    EXPECT_EQ(plane.rows.begin, 0);
    EXPECT_EQ(plane.columns.begin, 0);
    EXPECT_GE(plane.stride(), kWidth);
    EXPECT_EQ(first[0], c + 1);
    EXPECT_EQ(first[(kHeight - 1) * plane.stride() + kWidth - 1], c + 1);
  }
}

TEST_F(JpegOnEngineTest, LeavesWhatTheEngineCannotHaveToOthers) {
  EXPECT_FALSE(describe(jpeg(60, 70)));  // small
}

TEST_F(JpegOnEngineTest, LeavesFilesThatAreCutOffToOthers) {
  const std::vector<uint8_t> file = jpeg(kHeight, kWidth);
  EXPECT_FALSE(describe({file.begin(), file.end() - 2}));
}

TEST_F(JpegOnEngineTest, LeavesGrayOfColoursToOthers) {
  EXPECT_FALSE(describe(jpeg(kHeight, kWidth), ImageType::kGray));
}

TEST_F(JpegOnEngineTest, TellsOfFilesThatItCouldNotDecode) {
  FakeEngine::fails = true;
  ASSERT_TRUE(describe(jpeg(kHeight, kWidth)));
  int32_t refused = 0;
  connect_jpeg(job_, {.refused = &refused});
  EXPECT_EQ(refused, 1);
}

TEST_F(JpegOnEngineTest, DecodedFilesAreNotRefused) {
  ASSERT_TRUE(describe(jpeg(kHeight, kWidth)));
  int32_t refused = 0;
  connect_jpeg(job_, {.refused = &refused});
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(jpeg_scratch(job_), 0U);
}

TEST_F(WithoutEngineTest, OthersHaveEveryFile) { EXPECT_FALSE(describe(jpeg(kHeight, kWidth))); }

TEST(DecoderChoice, IsTheOneThatWasAskedFor) {
  const std::vector<uint8_t> file = jpeg(16, 16);
  EXPECT_EQ(choose_decoder(file, "cpu", 1), DecoderChoice::kWorker);
  EXPECT_EQ(choose_decoder(file, "cuda", 1), DecoderChoice::kCuda);
  EXPECT_EQ(choose_decoder(file, "hardware", 0), DecoderChoice::kEngine);
  EXPECT_EQ(choose_decoder(file, "auto", 0), DecoderChoice::kWorker) << "it is tiny";
  EXPECT_EQ(choose_decoder(file, "auto", 1), DecoderChoice::kWorker) << "it is tiny";
  const std::vector<uint8_t> large(10'000);
  EXPECT_EQ(choose_decoder(large, "auto", 0), DecoderChoice::kCuda);
  EXPECT_EQ(choose_decoder(large, "auto", 1), DecoderChoice::kEngine);
}

TEST(DecoderChoice, GivesTheEngineItsShareByTheFilesContents) {
  int engine = 0;
  for (uint32_t i = 0; i < 2000; ++i) {
    std::vector<uint8_t> file(10'000);
    std::memcpy(file.data() + 4'998, &i, sizeof(i));
    const DecoderChoice choice = choose_decoder(file, "auto", 0.25F);
    engine += choice == DecoderChoice::kEngine;
    EXPECT_EQ(choose_decoder(std::vector<uint8_t>(file), "auto", 0.25F), choice);
  }
  EXPECT_NEAR(engine, 500, 60);
}

TEST(DecoderChoice, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(check_taker_args("gpu", 0), ArgumentError);
  EXPECT_THROW(check_taker_args("auto", 1.5F), ArgumentError);
}

}  // namespace
}  // namespace penstock

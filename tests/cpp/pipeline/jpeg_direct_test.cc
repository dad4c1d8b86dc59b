// The GPU's kernel from coefficients to pixels, its threads played by the host's: pixels are the CPU's.
#include "pipeline/jpeg_on_threads.h"

#include "cuda/jpeg_direct.cuh"

namespace penstock {
namespace {

using test::picture;

/// A file, how a camera was held, and what is asked for.
struct Wanted {
  std::vector<uint8_t> file;
  codec::Region window;
  ImageType type = ImageType::kRGB;
  int orientation = 1;
};

class JpegDirectTest : public test::JpegOnThreads {
 protected:
  void expect_same(const Wanted& wanted) {
    codec::Info info = codec::peek(wanted.file);
    info.orientation = wanted.orientation;
    const auto [y0, x0, height, width] = wanted.window;
    const codec::Request request{.type = wanted.type, .y0 = y0, .x0 = x0, .height = height, .width = width};
    decode(wanted.file, info, request, {});
    ASSERT_TRUE(job_.direct());
    const auto bytes = static_cast<size_t>(height * width * job_.channels);
    std::vector<uint8_t> expected(bytes);
    codec::Decoder().decode(wanted.file, info, request, reinterpret_cast<std::byte*>(expected.data()));
    // Where pictures begin between words, too, and nothing around them is touched.
    for (const size_t before : {8, 9, 11}) {
      std::vector<uint8_t> found(bytes + 32, 0xA5);
      job_.out = found.data() + before;
      cuda::on_threads::run(1, cuda::kDirectThreads, 0, [&] { cuda::direct_kernel(&job_); });
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), job_.out)) << before;
      EXPECT_EQ(std::ranges::count(found, 0xA5) - std::ranges::count(expected, 0xA5), 32);
      EXPECT_TRUE(found[before - 1] == 0xA5 && found[before + bytes] == 0xA5);
    }
  }
};

TEST_F(JpegDirectTest, WindowsAreTheCpus) {
  const std::vector<uint8_t> file = picture(90, 300, 1);  // 38 blocks in a row, of which 32 are made at a time
  expect_same({file, {0, 0, 90, 300}});
  expect_same({file, {13, 21, 50, 203}});
  expect_same({file, {40, 7, 1, 1}});
  expect_same({file, {3, 2, 60, 5}});
}

TEST_F(JpegDirectTest, ColoursAndGrayAreTheCpus) {
  expect_same({picture(40, 70, 1), {3, 5, 30, 60}, ImageType::kBGR});
  expect_same({picture(40, 70, 1), {3, 5, 30, 60}, ImageType::kGray});
  expect_same({picture(40, 70, 2), {3, 5, 30, 60}, ImageType::kGray});  // whose blocks are four to an MCU
  expect_same({picture(40, 70, 1, 1), {3, 5, 30, 60}, ImageType::kGray});
  expect_same({picture(40, 70, 1, 1), {3, 5, 30, 60}, ImageType::kRGB});
}

TEST_F(JpegDirectTest, PicturesAreTurnedAsTheCpuTurnsThem) {
  for (int orientation = 2; orientation <= 8; ++orientation)
    expect_same({picture(64, 50, 1), {3, 7, 40, 33}, ImageType::kRGB, orientation});
}

TEST_F(JpegDirectTest, FlatBlocksAndWildCoefficientsAreTheCpus) {
  std::vector<uint8_t> file = picture(48, 96, 1);
  // The quantisation tables become large ones, so that sums leave 16 bits and samples a byte.
  for (size_t i = 0; i + 69 < file.size(); ++i)
    if (file[i] == 0xFF && file[i + 1] == 0xDB && file[i + 3] == 67)
      for (size_t k = 5; k < 69; ++k) file[i + k] = static_cast<uint8_t>(k % 3 == 0 ? 255 : 3 * k);
  expect_same({file, {0, 0, 48, 96}});
  test::HostTensor flat(Shape{20, 30, 3}, "HWC", std::vector<uint8_t>(1800, 77));
  expect_same(
      {codec::encode_jpeg({flat.desc, flat.bytes.data()}, {.quality = 40, .subsampling = {1, 1}}), {0, 0, 20, 30}});
}

TEST_F(JpegDirectTest, SubsampledFilesAreNone) {
  decode(picture(40, 70, 2), {3, 5, 30, 60}, {});
  EXPECT_FALSE(job_.direct());
}

}  // namespace
}  // namespace penstock

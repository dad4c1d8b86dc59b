// The GPU's kernel from coefficients to pixels, its threads played by the host's: pixels are the CPU's.
#include "pipeline/jpeg_on_threads.h"

#include "cuda/jpeg/pixels/direct.cuh"

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
      run_kernel(before == 9 ? 3 : 1);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), job_.out)) << before;
      EXPECT_EQ(std::ranges::count(found, 0xA5) - std::ranges::count(expected, 0xA5), 32);
      EXPECT_TRUE(found[before - 1] == 0xA5 && found[before + bytes] == 0xA5);
    }
  }

 private:
  /// With so many thread blocks for a job, of which this is the second of two.
  void run_kernel(uint32_t strips) {
    const std::array<codec::jpeg::ScanJob, 2> jobs = {codec::jpeg::ScanJob(), job_};
    cuda::on_threads::run_grid(strips, jobs.size(), cuda::kDirectThreads, [&] { cuda::direct_kernel(jobs.data()); });
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

/// A square.
std::vector<uint8_t> encoded(int64_t side, const std::vector<uint8_t>& pixels, const codec::JpegOptions& options) {
  test::HostTensor image(Shape{side, side, 3}, "HWC", pixels);
  return codec::encode_jpeg({image.desc, image.bytes.data()}, options);
}

/// Makes all factors of a file's quantisation tables so large.
void quantise_by(uint8_t factor, std::vector<uint8_t>& file) {
  constexpr size_t kTable = 65;
  int tables = 0;
  for (size_t at = 2; file[at + 1] != 0xDA;) {
    const size_t length = file[at + 2] * size_t{256} + file[at + 3];
    for (size_t table = at + 4; file[at + 1] == 0xDB && table < at + 2 + length; table += kTable, ++tables)
      std::fill_n(file.begin() + static_cast<ptrdiff_t>(table) + 1, 64, factor);
    at += 2 + length;
  }
  ASSERT_GT(tables, 0);
}

TEST_F(JpegDirectTest, SumsThatLeaveSixteenBitsAreTheCpus) {
  for (const uint8_t factor : {60, 120, 255}) {
    std::vector<uint8_t> file = picture(48, 96, 1);
    quantise_by(factor, file);
    expect_same({file, {0, 0, 48, 96}});
  }
  std::mt19937 random(1);
  std::vector<uint8_t> pixels(size_t{24} * 24 * 3);
  for (uint8_t& value : pixels) value = random() % 2 ? 255 : 0;
  std::vector<uint8_t> harsh = encoded(24, pixels, {.quality = 100, .subsampling = {1, 1}});
  expect_same({harsh, {0, 0, 24, 24}});
  quantise_by(255, harsh);
  expect_same({harsh, {0, 0, 24, 24}});
}

TEST_F(JpegDirectTest, FlatBlocksAreTheCpus) {
  const std::vector<uint8_t> pixels(size_t{20} * 20 * 3, 77);
  std::vector<uint8_t> file = encoded(20, pixels, {.quality = 95, .subsampling = {1, 1}});
  expect_same({file, {0, 0, 20, 20}});
  quantise_by(255, file);
  expect_same({file, {0, 0, 20, 20}});
}

TEST_F(JpegDirectTest, SubsampledFilesAreNone) {
  const std::vector<uint8_t> pixels(size_t{40} * 40 * 3, 77);
  for (const codec::Subsampling factors : {codec::Subsampling{2, 2}, {2, 1}, {1, 2}}) {
    decode(encoded(40, pixels, {.subsampling = factors}), {3, 5, 30, 20}, {});
    EXPECT_FALSE(job_.direct());
  }
}

}  // namespace
}  // namespace penstock

// What JPEG leaves of a picture: the CPU's is what a file that libjpeg-turbo has written holds, bit for bit, and the
// GPU's kernels, their threads played by the host's, give the same.
#include "kernels/jpeg_distortion/job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "codec/codec.h"
#include "codec/jpeg/encode.h"
#include "core/instruction_sets.h"
#include "core/random.h"
#include "cuda/kernels/jpeg_distortion.cuh"
#include "kernels/jpeg_distortion/samples.h"

namespace penstock::kernels {
namespace {

using Bytes = std::vector<uint8_t>;

/// Noise around a slope, or of black and white alone: the largest coefficients that pictures have.
Bytes picture(int64_t rows, int64_t columns, bool extreme) {
  Random random(1, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns));
  Bytes pixels(static_cast<size_t>(rows * columns * 3));
  for (size_t i = 0; i < pixels.size(); ++i) {
    const auto slope = static_cast<float>(i % static_cast<size_t>(columns * 3)) * 200 / static_cast<float>(columns * 3);
    pixels[i] = extreme ? (random.uniform() < 0.5f ? 0 : 255) : static_cast<uint8_t>(slope + random.uniform() * 55);
  }
  return pixels;
}

Bytes by_file(const Bytes& pixels, int64_t rows, int64_t columns, int quality) {
  Bytes in = pixels, out(pixels.size());
  const TensorDesc desc{.dtype = DType::kUInt8, .shape = {rows, columns, 3}, .layout = "HWC"};
  const Bytes file = codec::encode_jpeg({desc, reinterpret_cast<std::byte*>(in.data())}, {.quality = quality});
  const codec::Info info = codec::peek(file);
  codec::Decoder().decode(file, info, codec::whole(info, {}), reinterpret_cast<std::byte*>(out.data()));
  return out;
}

JpegDistortionJob job_of(const Bytes& pixels, int64_t rows, int64_t columns, int quality) {
  JpegDistortionJob job{
      .in = pixels.data(), .rows = static_cast<int32_t>(rows), .columns = static_cast<int32_t>(columns)};
  job.pictures = static_cast<int32_t>(pixels.size() / static_cast<size_t>(rows * columns * 3));
  set_jpeg_quality(job, quality);
  return job;
}

/// What was in the memory does not matter.
Bytes planes_of(const JpegDistortionJob& job) {
  return Bytes(static_cast<size_t>(job.pictures * job.layout().bytes()), 0xC3);
}

Bytes by_cpu(JpegDistortionJob job, size_t bytes) {
  Bytes out(bytes), planes = planes_of(job);
  job.out = out.data();
  job.planes = planes.data();
  jpeg_distortion(job);
  return out;
}

/// With the job behind an empty one, by so many thread blocks a job; where pictures begin between words, too.
void expect_kernels_give(const Bytes& expected, JpegDistortionJob job, uint32_t strips, size_t before) {
  Bytes out(expected.size() + 32, 0xA5), planes = planes_of(job);
  job.out = out.data() + before;
  job.planes = planes.data();
  const std::array<JpegDistortionJob, 2> jobs = {JpegDistortionJob{.pictures = 0}, job};
  cuda::on_threads::run_grid(strips, 2, cuda::kDistortionThreads, [&] { cuda::distort_kernel(jobs.data()); });
  cuda::on_threads::run_grid(strips, 2, cuda::kShowThreads, [&] { cuda::show_kernel(jobs.data()); });
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + static_cast<int64_t>(before)));
  EXPECT_EQ(std::ranges::count(out, 0xA5) - std::ranges::count(expected, 0xA5), 32);
}

constexpr std::array<int64_t, 2> kSizes[] = {{1, 1},   {1, 5},   {2, 2},   {3, 4},    {5, 3},    {7, 9},   {8, 8},
                                             {16, 16}, {17, 33}, {40, 70}, {31, 127}, {33, 129}, {66, 260}};

TEST(JpegDistortionTest, EveryInstructionSetGivesTheSame) {
  test::with_every_instruction_set([] {
    const Bytes pixels = picture(35, 141, false);
    for (const int quality : {3, 50, 97})
      EXPECT_EQ(by_cpu(job_of(pixels, 35, 141, quality), pixels.size()), by_file(pixels, 35, 141, quality)) << quality;
  });
}

TEST(JpegDistortionTest, PixelsAreThoseOfAFile) {
  for (const auto& [rows, columns] : kSizes)
    for (const bool extreme : {false, true})
      for (const int quality : {1, 10, 35, 50, 75, 92, 100}) {
        const Bytes pixels = picture(rows, columns, extreme);
        EXPECT_EQ(by_cpu(job_of(pixels, rows, columns, quality), pixels.size()),
                  by_file(pixels, rows, columns, quality))
            << rows << " x " << columns << " at quality " << quality << (extreme ? ", black and white" : "");
      }
}

TEST(JpegDistortionTest, KernelsGiveTheCpusPixels) {
  for (const auto& [rows, columns] : kSizes)
    for (const bool extreme : {false, true}) {
      SCOPED_TRACE(rows * 1000 + columns);
      const Bytes pixels = picture(rows, columns, extreme);
      const JpegDistortionJob job = job_of(pixels, rows, columns, extreme ? 3 : 80);
      expect_kernels_give(by_cpu(job, pixels.size()), job, 1, extreme ? 5 : 4);
    }
}

TEST(JpegDistortionTest, ThreadBlocksShareAPicture) {
  const Bytes pixels = picture(40, 300, false);
  const JpegDistortionJob job = job_of(pixels, 40, 300, 60);
  expect_kernels_give(by_cpu(job, pixels.size()), job, 4, 8);
}

TEST(JpegDistortionTest, FramesArePictures) {
  const Bytes first = picture(19, 45, false), second = picture(19, 45, true);
  Bytes both = first, expected = by_file(first, 19, 45, 40);
  both.insert(both.end(), second.begin(), second.end());
  std::ranges::copy(by_file(second, 19, 45, 40), std::back_inserter(expected));
  const JpegDistortionJob job = job_of(both, 19, 45, 40);
  ASSERT_EQ(job.pictures, 2);
  EXPECT_EQ(by_cpu(job, both.size()), expected);
  expect_kernels_give(expected, job, 2, 0);
}

TEST(JpegDistortionTest, MultiplesAreTheNearest) {
  for (int step = 1; step <= 255; ++step) {
    const JpegStep one = JpegStep::of(step);
    for (int value = 0; value <= 9000; ++value) {
      const int expected = (value + 4 * step) / (8 * step) * step;
      ASSERT_EQ(one.nearest(value), expected) << value << " by " << step;
      ASSERT_EQ(one.nearest(-value), -expected);
    }
  }
}

}  // namespace
}  // namespace penstock::kernels

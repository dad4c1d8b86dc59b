// Colours of sensors: vectors give what the body does that the GPU runs for each element.
#include "kernels/debayer/debayer.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/check.h"
#include "core/instruction_sets.h"
#include "core/random.h"
#include "kernels/debayer/vng.h"

namespace penstock::kernels {
namespace {

template <class T>
void expect_bodys(DebayerJob job) {
  Random random(1, 2, static_cast<uint64_t>(job.columns));
  const int64_t rows = job.rows, columns = job.columns, pictures = job.pictures, channels = job.channels();
  std::vector<T> sensor(static_cast<size_t>(pictures * rows * columns));
  // The largest sums, the smallest differences, and all between.
  for (T& value : sensor) {
    const uint32_t kind = random.below(3);
    value = kind == 0 ? T(~T{0}) : static_cast<T>(kind == 1 ? random.below(3) : random.below(1U << (8 * sizeof(T))));
  }
  std::vector<T> made(sensor.size() * static_cast<size_t>(channels)), expected(made.size());
  job.in = sensor.data();
  job.out = made.data();
  debayer(job, dtype_of<T>);
  for (int64_t line = 0; line < pictures * rows; ++line)
    for (int32_t x = 0; x < job.columns; ++x) {
      const int32_t y = with_neighbours(static_cast<int32_t>(line % rows), job.rows);
      const int32_t at = with_neighbours(x, job.columns);
      debayer_pixel(job, sensor.data() + (line / rows * rows + y) * columns + at, (y & 1) == job.blue_row,
                    (at & 1) == job.blue_column, expected.data() + (line * columns + x) * channels);
    }
  EXPECT_EQ(made, expected) << "method " << static_cast<int>(job.method) << ", " << columns << " columns of "
                            << sizeof(T);
}

void expect_all_bodys() {
  for (const DebayerMethod method : {DebayerMethod::kBilinear, DebayerMethod::kEdgeAware, DebayerMethod::kGray})
    for (const int32_t columns : {4, 6, 10, 18, 34, 66, 130})
      for (int32_t blue = 0; blue < 4; ++blue) {
        const DebayerJob job{.method = method,
                             .pictures = 2,
                             .rows = 6,
                             .columns = columns,
                             .blue_row = blue / 2,
                             .blue_column = blue % 2};
        expect_bodys<uint8_t>(job);
        expect_bodys<uint16_t>(job);
      }
}

/// Bytes with ties, small differences and all others.
std::vector<uint8_t> sensor_of(int64_t elements) {
  Random random(3, 4, static_cast<uint64_t>(elements));
  std::vector<uint8_t> sensor(static_cast<size_t>(elements));
  for (uint8_t& value : sensor) value = static_cast<uint8_t>(random.below(3) ? random.below(256) : random.below(4));
  return sensor;
}

void expect_vngs_bodys() {
  constexpr int32_t kPictures = 2, kRows = 9;
  for (const int32_t columns : {8, 9, 11, 16, 20, 27, 35, 36, 37, 67, 68, 69, 74, 139, 200})
    for (int32_t blue = 0; blue < 4; ++blue) {
      const std::vector<uint8_t> sensor = sensor_of(int64_t{kPictures} * kRows * columns);
      std::vector<uint8_t> made(3 * sensor.size()), expected(made.size());
      const DebayerJob job{.in = sensor.data(),
                           .out = made.data(),
                           .method = DebayerMethod::kVng,
                           .pictures = kPictures,
                           .rows = kRows,
                           .columns = columns,
                           .blue_row = blue / 2,
                           .blue_column = blue % 2};
      debayer(job, DType::kUInt8);
      for (int32_t line = 0; line < kPictures * kRows; ++line)
        for (int32_t x = 0; x < columns; ++x)
          vng_pixel(job, sensor.data() + line / kRows * kRows * columns, line % kRows, x,
                    expected.data() + 3 * (int64_t{line} * columns + x));
      EXPECT_EQ(made, expected) << columns << " columns, blue at " << blue;
    }
}

TEST(DebayerTest, VectorsFollowGradientsAsTheBodyDoes) { expect_vngs_bodys(); }

TEST(DebayerTest, EveryInstructionSetFollowsTheSameGradients) { test::with_every_instruction_set(expect_vngs_bodys); }

TEST(DebayerTest, GradientsAreThoseOfBytes) {
  const std::vector<uint16_t> sensor(64);
  std::vector<uint16_t> made(3 * sensor.size());
  const DebayerJob job{.in = sensor.data(), .out = made.data(), .method = DebayerMethod::kVng, .rows = 8, .columns = 8};
  EXPECT_THROW(debayer(job, DType::kUInt16), TypeError);
}

TEST(DebayerTest, VectorsGiveWhatTheBodyDoes) { expect_all_bodys(); }

TEST(DebayerTest, EveryInstructionSetGivesTheSame) { test::with_every_instruction_set(expect_all_bodys); }

}  // namespace
}  // namespace penstock::kernels

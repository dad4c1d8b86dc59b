// The GPU's kernel that resizes, its threads played by the host's.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/convert.h"
#include "core/random.h"
#include "cuda/kernels/resample.cuh"
#include "kernels/resample/axis.h"

namespace penstock::kernels {
namespace {

/// Frames of RGB pictures, resized as a kernel is asked to.
struct Resizing {
  Resizing(int32_t columns, int32_t rows, int32_t width, int32_t height, InterpType filter, bool antialias) {
    x.assign({.in = columns,
              .out = width,
              .end = static_cast<float>(columns),
              .filter = filter,
              .antialias = antialias,
              .stop = width});
    y.assign({.in = rows,
              .out = height,
              .end = static_cast<float>(rows),
              .filter = filter,
              .antialias = antialias,
              .stop = height});
    job.x = {x.taps, width, x.first.data(), x.weights.data()};
    job.y = {y.taps, height, y.first.data(), y.weights.data()};
    job.z = {1, 1, &zero, &one};
    job.channels = 3, job.outer = 2, job.skipped = 1, job.rows = rows, job.columns = columns;
    in.resize(static_cast<size_t>(job.outer + job.skipped) * static_cast<size_t>(rows * columns * 3));
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(mix64(i));
    job.in = in.data();
  }

  /// Down, then across, with products and sums in one.
  uint8_t expected(int32_t frame, int32_t row, int32_t column, int32_t channel) const {
    float sum = 0;
    for (int32_t j = 0; j < x.taps; ++j) {
      float down = 0;
      for (int32_t t = 0; t < y.taps; ++t) {
        const int32_t at = ((frame + job.skipped) * job.rows + y.first[static_cast<size_t>(row)] + t) * job.columns +
                           x.first[static_cast<size_t>(column)] + j;
        down = std::fmaf(y.weights_of(row)[t], in[static_cast<size_t>(at * 3 + channel)], down);
      }
      sum = std::fmaf(x.weights_of(column)[j], down, sum);
    }
    return convert_sat<uint8_t>(sum);
  }

  Axis x, y;
  ResampleJob job;
  std::vector<uint8_t> in;
  int32_t zero = 0;
  float one = 1;
};

/// Results that begin between words, too; nothing around them is touched.
void expect_resized(const Resizing& resizing) {
  const int32_t width = resizing.job.x.extent, height = resizing.job.y.extent;
  std::vector<uint8_t> expected;
  for (int32_t frame = 0; frame < resizing.job.outer; ++frame)
    for (int32_t row = 0; row < height; ++row)
      for (int32_t i = 0; i < width * 3; ++i) expected.push_back(resizing.expected(frame, row, i / 3, i % 3));
  for (const size_t before : {16, 19}) {
    std::vector<uint8_t> found(expected.size() + 32, 99), whole = found;
    std::copy(expected.begin(), expected.end(), whole.begin() + static_cast<int64_t>(before));
    ResampleJob job = resizing.job;
    job.out = found.data() + before;
    const std::array<ResampleJob, 2> jobs = {ResampleJob{.outer = 0}, job};
    cuda::on_threads::run_grid(2, 2, cuda::kResampleThreads,
                               [&] { cuda::resample_kernel<uint8_t, uint8_t, int32_t>(jobs.data()); });
    EXPECT_EQ(found, whole) << width << " x " << height << ", " << before << " bytes before";
  }
}

TEST(ResampleKernel, PicturesOfThreeChannelsAreSumsOfTheirTaps) {
  for (const int32_t width : {1, 2, 3, 5, 40, 161})
    for (const int32_t height : {1, 9}) expect_resized({37, 11, width, height, InterpType::kLinear, false});
  expect_resized({90, 40, 23, 9, InterpType::kLinear, true});
  expect_resized({37, 11, 50, 9, InterpType::kCubic, false});
}

}  // namespace
}  // namespace penstock::kernels

// The kernel that masks with grids, its threads played by the host's: it makes what the CPU makes.
#include "kernels/grid/grid_mask.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "cuda/kernels/grid_mask.cuh"

namespace penstock::kernels {
namespace {

constexpr GridMask kTurned{.across = {0.11f, -0.04f, -0.3f}, .down = {0.04f, 0.11f, 0.2f}, .ratio = 0.6f};
constexpr GridMask kAll{.ratio = 1}, kNone{.ratio = 0};

/// Results begin between 16 bytes, too, and nothing around them is touched.
template <class T, class Index = int32_t>
void expect_masked(GridMaskJob job) {
  std::vector<T> in(static_cast<size_t>(job.pictures) * static_cast<size_t>(job.held_rows) *
                    static_cast<size_t>(job.held_columns) * static_cast<size_t>(job.channels));
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(1 + i % 249);
  job.in = in.data();
  const size_t size = static_cast<size_t>(job.pictures) * static_cast<size_t>(job.rows) *
                      static_cast<size_t>(job.columns) * static_cast<size_t>(job.channels);
  constexpr T kAround = 251;
  for (const size_t before : {16, 17, 23}) {
    std::vector<T> expected(size + 48, kAround), found = expected;
    job.out = expected.data() + before;
    mask_grid(job, sizeof(T));
    job.out = found.data() + before;
    const std::array<GridMaskJob, 2> jobs = {GridMaskJob{}, job};  // whose first one has no elements
    cuda::on_threads::run_grid(2, 2, cuda::kGridThreads, [&] { cuda::grid_mask_kernel<T, Index>(jobs.data()); });
    EXPECT_EQ(found, expected) << job.channels << " channels of " << sizeof(T) << ", " << before << " before";
  }
}

GridMaskJob whole(int32_t rows, int32_t columns, int32_t channels, const GridMask& grid = kTurned) {
  return {
      .grid = grid, .rows = rows, .columns = columns, .held_rows = rows, .held_columns = columns, .channels = channels};
}

TEST(GridMaskTest, AGpuGivesTheCpusBits) {
  for (const int32_t channels : {1, 2, 3, 4, 5, 16, 19}) {
    expect_masked<uint8_t>(whole(13, 61, channels));
    expect_masked<uint16_t>(whole(7, 33, channels));
    expect_masked<uint32_t>(whole(7, 33, channels));
    expect_masked<uint64_t>(whole(7, 33, channels));
  }
  expect_masked<uint8_t>(whole(37, 128, 3));
  expect_masked<uint8_t, int64_t>(whole(13, 61, 3));
}

TEST(GridMaskTest, RunsMayHoldSeveralRows) {
  expect_masked<uint8_t>(whole(40, 1, 3));
  expect_masked<uint8_t>(whole(40, 2, 1));
  expect_masked<uint16_t>(whole(40, 1, 1));
}

TEST(GridMaskTest, AllAndNothingIsCleared) {
  expect_masked<uint8_t>(whole(9, 50, 3, kAll));
  expect_masked<uint8_t>(whole(9, 50, 3, kNone));
}

TEST(GridMaskTest, WindowsOfSeveralPicturesAreMaskedAsThere) {
  GridMaskJob job = whole(6, 21, 3);
  job.pictures = 3;
  job.first_row = 11, job.first_column = 5;
  job.held_rows = 9, job.held_columns = 30;
  job.row_in_held = 2, job.column_in_held = 7;
  expect_masked<uint8_t>(job);
  expect_masked<uint32_t>(job);
}

}  // namespace
}  // namespace penstock::kernels

// The kernel that pads, its threads played by the host's.
#include "kernels/pad/job.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda/kernels/pad.cuh"

namespace penstock::kernels {
namespace {

using Extents = std::vector<int64_t>;

int64_t volume(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

/// Element by element.
template <class T>
std::vector<T> padded(const std::vector<T>& in, const Extents& held, const Extents& extents, T fill) {
  std::vector<T> out(static_cast<size_t>(volume(extents)), fill);
  for (size_t i = 0; i < in.size(); ++i) {
    size_t left = i, at = 0, step = 1;
    for (size_t axis = held.size(); axis-- > 0;) {
      const auto extent = static_cast<size_t>(held[axis]);
      at += left % extent * step;
      left /= extent;
      step *= static_cast<size_t>(extents[axis]);
    }
    out[at] = in[i];
  }
  return out;
}

/// Results begin between 16 bytes, too, and nothing around them is touched.
template <class T, class Index = int32_t>
void expect_padded(const Extents& held, const Extents& extents) {
  std::vector<T> in(static_cast<size_t>(volume(held)));
  std::iota(in.begin(), in.end(), T{1});
  constexpr T kFill = 77, kAround = 251;
  const std::vector<T> expected = padded(in, held, extents, kFill);
  for (const size_t before : {16, 17, 23}) {
    std::vector<T> found(expected.size() + 48, kAround);
    PadJob job{.in = in.data(), .out = found.data() + before, .ndim = static_cast<int32_t>(held.size())};
    std::copy(held.begin(), held.end(), job.held);
    std::copy(extents.begin(), extents.end(), job.extents);
    const std::vector<T> fills(sizeof(job.fill), kFill);
    std::memcpy(job.fill, fills.data(), sizeof(job.fill));
    const std::array<PadJob, 2> jobs = {PadJob{}, job};  // whose first one has no elements
    cuda::on_threads::run_grid(2, 2, cuda::kPadThreads, [&] { cuda::pad_kernel<T, Index>(jobs.data()); });
    std::vector<T> whole(found.size(), kAround);
    std::copy(expected.begin(), expected.end(), whole.begin() + static_cast<int64_t>(before));
    EXPECT_EQ(found, whole) << before << " elements of " << sizeof(T);
  }
}

TEST(PadTest, RowsAndColumnsArePadded) {
  expect_padded<uint8_t>({9, 91}, {12, 120});
  expect_padded<uint8_t>({9, 96}, {9, 128});
  expect_padded<uint8_t>({150, 90}, {160, 90});
  expect_padded<uint8_t>({5}, {33});
  expect_padded<uint8_t>({200}, {200});
}

TEST(PadTest, AnyAxesArePadded) {
  expect_padded<uint8_t>({3, 7, 5}, {3, 8, 9});
  expect_padded<uint8_t>({50, 3}, {50, 4});  // runs hold several lines
  expect_padded<uint8_t>({2, 3, 2, 3, 4, 2}, {3, 4, 3, 3, 5, 4});
  expect_padded<uint8_t>({0, 3}, {2, 40});
  expect_padded<uint8_t>({2, 0}, {2, 40});
}

TEST(PadTest, ElementsHaveAnySize) {
  expect_padded<uint16_t>({7, 5, 6}, {8, 5, 9});
  expect_padded<uint32_t>({7, 5, 6}, {8, 5, 9});
  expect_padded<uint64_t>({7, 5, 6}, {8, 5, 9});
}

TEST(PadTest, ElementsAreCountedIn64BitsToo) {
  expect_padded<uint8_t, int64_t>({7, 5, 40}, {8, 5, 49});
  expect_padded<uint64_t, int64_t>({7, 5, 6}, {8, 5, 9});
}

}  // namespace
}  // namespace penstock::kernels

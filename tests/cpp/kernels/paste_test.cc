// The kernel that pastes regions, its threads played by the host's: what it makes is what pasting one region after the
// other does.
#include "kernels/paste/job.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "core/random.h"
#include "cuda/kernels/paste.cuh"

namespace penstock::kernels {
namespace {

constexpr int64_t kFrames = 2, kRows = 9, kColumns = 41, kChannels = 3, kPicture = 30;

template <class T>
std::vector<T> noise(int64_t count) {
  Random random(1, 2, 3);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) value = static_cast<T>(1 + random.below(250));
  return values;
}

struct Placed {
  int64_t begin_y, begin_x, rows, columns, y, x;
};

template <class T>
PastePiece piece_of(const std::vector<T>& picture, const Placed& p) {
  constexpr int64_t kRow = kPicture * kChannels;
  return {.from = picture.data() + p.begin_y * kRow + p.begin_x * kChannels,
          .row_step = kRow,
          .frame_step = kPicture * kRow,
          .y = p.y,
          .rows = p.rows,
          .x = p.x * kChannels,
          .elements = p.columns * kChannels};
}

template <class T>
std::vector<T> pasted(const std::vector<PastePiece>& pieces) {
  constexpr int64_t kRow = kColumns * kChannels;
  std::vector<T> canvas(static_cast<size_t>(kFrames * kRows * kRow));
  for (const PastePiece& p : pieces)
    for (int64_t frame = 0; frame < kFrames; ++frame)
      for (int64_t y = 0; y < p.rows; ++y)
        std::memcpy(canvas.data() + (frame * kRows + p.y + y) * kRow + p.x,
                    static_cast<const T*>(p.from) + frame * p.frame_step + y * p.row_step,
                    static_cast<size_t>(p.elements) * sizeof(T));
  return canvas;
}

/// Where canvases begin between 16 bytes, too, and nothing around them is touched.
template <class T>
void expect_pasted(const std::vector<Placed>& placed) {
  const std::vector<T> picture = noise<T>(kFrames * kPicture * kPicture * kChannels);
  std::vector<PastePiece> pieces;
  for (const Placed& p : placed) pieces.push_back(piece_of(picture, p));
  const std::vector<T> expected = pasted<T>(pieces);
  for (const size_t before : {16, 17, 23}) {
    constexpr T kAround = 251;
    std::vector<T> found(expected.size() + 48, kAround);
    const PasteJob job{.out = found.data() + before,
                       .pieces = pieces.data(),
                       .count = static_cast<int32_t>(pieces.size()),
                       .frames = kFrames,
                       .rows = kRows,
                       .row_elements = kColumns * kChannels};
    const std::array<PasteJob, 2> jobs = {PasteJob{.frames = 0}, job};
    cuda::on_threads::run_grid(2, 2, cuda::kPasteThreads, [&] { cuda::paste_kernel<T>(jobs.data()); });
    std::vector<T> whole(found.size(), kAround);
    std::copy(expected.begin(), expected.end(), whole.begin() + static_cast<int64_t>(before));
    EXPECT_EQ(found, whole) << before << " elements of " << sizeof(T);
  }
}

TEST(PasteTest, LaterRegionsLieAboveEarlierOnes) {
  expect_pasted<uint8_t>({});
  expect_pasted<uint8_t>({{0, 0, 9, 30, 0, 0}});
  expect_pasted<uint8_t>({{1, 2, 5, 20, 3, 1}, {7, 3, 4, 25, 2, 16}});    // one over the other
  expect_pasted<uint8_t>({{29, 29, 1, 1, 8, 40}, {29, 0, 1, 30, 8, 5}});  // at the ends of memory
}

TEST(PasteTest, ElementsHaveAnySize) {
  const std::vector<Placed> placed = {{7, 3, 4, 25, 2, 16}, {1, 2, 5, 20, 3, 1}, {0, 0, 1, 1, 4, 8}};
  expect_pasted<uint8_t>(placed);
  expect_pasted<uint16_t>(placed);
  expect_pasted<uint32_t>(placed);
  expect_pasted<uint64_t>(placed);
}

}  // namespace
}  // namespace penstock::kernels

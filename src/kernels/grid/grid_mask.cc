#include "kernels/grid/grid_mask.h"

#include <cstddef>
#include <cstring>
#include <vector>

namespace penstock::kernels {

namespace {

/// Marks the pixels of a row that are cleared with 1, others with 0.
void mark(const GridMask& grid, int32_t first, int32_t y, int32_t columns, uint8_t* marks) {
  const GridMask own = grid;  // no mark can change it
  for (int32_t x = 0; x < columns; ++x) marks[x] = own.clears(first + x, y) ? 1 : 0;
}

}  // namespace

void mask_grid(const GridMaskJob& job, int64_t size) {
  const auto columns = static_cast<size_t>(job.columns), pixel = static_cast<size_t>(job.channels * size);
  const size_t row = columns * pixel;
  if (row == 0) return;
  std::vector<uint8_t> clears(columns + 1);
  const auto* in = static_cast<const std::byte*>(job.in);
  auto* out = static_cast<std::byte*>(job.out);
  for (int64_t picture = 0; picture < job.pictures; ++picture)
    for (int32_t y = 0; y < job.rows; ++y, out += row) {
      mark(job.grid, job.first_column, job.first_row + y, job.columns, clears.data());
      std::memcpy(out, in + job.row_in(picture, y) * size, row);
      for (size_t x = 0; x < columns; ++x) {
        const auto* found = static_cast<const uint8_t*>(std::memchr(clears.data() + x, 1, columns - x));
        if (!found) break;
        x = static_cast<size_t>(found - clears.data());
        size_t end = x;
        while (clears[end]) ++end;  // the list ends with a 0
        std::memset(out + x * pixel, 0, (end - x) * pixel);
        x = end;
      }
    }
}

}  // namespace penstock::kernels

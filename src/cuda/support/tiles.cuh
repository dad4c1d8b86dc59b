// Tiles of pictures, which the thread blocks of a job share out.
#pragma once

#include <cstdint>

#include "cuda/support/threads.cuh"

namespace penstock::cuda {

/// Calls make(column, line) for the tiles that the thread block takes. A division for each would take long.
template <class Make>
__device__ void for_tiles(uint32_t columns, uint32_t lines, Make&& make) {
  if (!columns || !lines) return;
  uint32_t line = blockIdx.x / columns, column = blockIdx.x - line * columns;
  const uint32_t lines_on = gridDim.x / columns, columns_on = gridDim.x - lines_on * columns;
  while (line < lines) {
    make(column, line);
    line += lines_on;
    column += columns_on;
    if (column >= columns) column -= columns, ++line;
  }
}

}  // namespace penstock::cuda

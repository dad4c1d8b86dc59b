// Tiles of pictures in shared memory, for windows that move over them: each element is loaded once for all results that
// see it, and finds out once what stands beyond a border.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/support/divide.cuh"
#include "kernels/neighbourhood/job.h"

namespace penstock::cuda {

inline constexpr int kTileThreads = 256;
inline constexpr int kTileRows = 16, kTileColumns = 128;                         ///< results of a tile
inline constexpr int kTileTogether = kTileRows / (kTileThreads / kTileColumns);  ///< of a thread, one below the other
inline constexpr int kTileElements = 8192;                                       ///< of the source that a tile holds
inline constexpr int kTileMostRows = 64, kTileMostColumns = 512;

/// A tile's elements in shared memory.
struct WindowTile {
  int32_t rows, columns;

  __device__ explicit WindowTile(const kernels::NeighbourhoodJob& job)
      : rows(kTileRows + job.axes[1].taps - 1), columns(kTileColumns + (job.axes[2].taps - 1) * job.channels) {}
  /// Whether the job's windows are flat, and tiles small enough.
  __device__ bool fits(const kernels::NeighbourhoodJob& job) const {
    const kernels::WindowAxis& z = job.axes[0];
    return z.taps == 1 && z.held == 1 && z.wanted == 1 && rows <= kTileMostRows && columns <= kTileMostColumns &&
           rows * columns <= kTileElements;
  }
};

/// Where a tile's rows and columns lie in the source, found out once for all elements. -1: beyond a constant border.
struct TilePlaces {
  int32_t row[kTileMostRows];        ///< number of the row
  int32_t column[kTileMostColumns];  ///< element of the row

  /// For the tile whose first result is that of row `y` and element `x` of a line.
  __device__ void find(const kernels::NeighbourhoodJob& job, const WindowTile& tile, int32_t y, int32_t x,
                       const Divider<int32_t>& by_channels) {
    const kernels::WindowAxis &ay = job.axes[1], &ax = job.axes[2];
    for (auto i = static_cast<int32_t>(threadIdx.x); i < tile.columns; i += kTileThreads) {
      const int32_t pixel = by_channels.quotient(x + i), channel = x + i - pixel * job.channels;
      const int32_t from = ax.source(job.border, ax.first() + pixel);
      column[i] = from < 0 ? -1 : from * job.channels + channel;
    }
    for (auto i = static_cast<int32_t>(threadIdx.x); i < tile.rows; i += kTileThreads)
      row[i] = ay.source(job.border, ay.first() + y + i);
  }
};

/// Fills a tile.
/// @param element makes a tile's element of one of the source, whose lines have `line` elements
template <class In, class Element, class Fn>
__device__ void load_tile(const WindowTile& tile, const TilePlaces& places, const In* picture, int64_t line,
                          const Divider<int32_t>& by_columns, Element fill, Element* shared, Fn&& element) {
  const int32_t total = tile.rows * tile.columns;
#pragma unroll 4
  for (auto i = static_cast<int32_t>(threadIdx.x); i < total; i += kTileThreads) {
    const int32_t row = by_columns.quotient(i);
    const int32_t y = places.row[row], x = places.column[i - row * tile.columns];
    shared[i] = (y | x) >= 0 ? element(picture[y * line + x]) : fill;
  }
}

/// Makes all results of a job, tile by tile.
/// @param make gives the results of a thread: make(first, results), where `first` is the tile's element under the first
///   one's window
template <class In, class Out, class Element, class Fn, class Make>
__device__ void for_tiles(const kernels::NeighbourhoodJob& job, const WindowTile& tile, Element fill, Element* shared,
                          Fn&& element, Make&& make) {
  const kernels::WindowAxis &ay = job.axes[1], &ax = job.axes[2];
  __shared__ TilePlaces places;
  const Divider<int32_t> by_channels(max(job.channels, 1)), by_columns(tile.columns);
  const int32_t line = ax.wanted * job.channels;
  const int32_t across = (line + kTileColumns - 1) / kTileColumns, down = (ay.wanted + kTileRows - 1) / kTileRows;
  const int64_t total = int64_t{job.outer} * down * across;
  const auto column = static_cast<int32_t>(threadIdx.x % kTileColumns);
  const auto row = static_cast<int32_t>(threadIdx.x / kTileColumns) * kTileTogether;
  for (int64_t n = blockIdx.x; n < total; n += gridDim.x) {
    const int64_t strip = n / across, picture = strip / down;
    const auto x = static_cast<int32_t>(n - strip * across) * kTileColumns;
    const auto y = static_cast<int32_t>(strip - picture * down) * kTileRows;
    __syncthreads();  // the last tile's elements have been read
    places.find(job, tile, y, x, by_channels);
    __syncthreads();
    const int64_t held = int64_t{ax.held} * job.channels;
    load_tile(tile, places, static_cast<const In*>(job.in) + picture * ay.held * held, held, by_columns, fill, shared,
              element);
    __syncthreads();
    if (x + column >= line) continue;
    Out results[kTileTogether];
    make(picture, shared + row * tile.columns + column, results);
    Out* to = static_cast<Out*>(job.out) + (picture * ay.wanted + y + row) * line + x + column;
#pragma unroll
    for (int r = 0; r < kTileTogether; ++r)
      if (y + row + r < ay.wanted) to[int64_t{r} * line] = results[r];
  }
}

}  // namespace penstock::cuda

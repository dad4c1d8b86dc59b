// The loops of reductions: rows of neighbours are folded into accumulators that a compiler turns into vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/reduce/reduce.h"

namespace penstock::kernels {

/// Few columns are folded several rows at a time, so that vectors are full: as many lanes as this at most.
inline constexpr int64_t kFoldLanes = 64;

/// to[column] = step(to[column], element, column) over all rows.
/// @param merge joins two accumulators  @param zero what accumulators begin with
template <class T, class Acc, class Step, class Merge>
void fold_rows(const T* data, int64_t rows, int64_t columns, Acc* to, Acc zero, Step&& step, Merge&& merge) {
  // Of few elements, as of the channels of a pixel, filling the lanes took 20 times as long as folding.
  if (columns >= kFoldLanes / 2 || rows * columns < kFoldLanes) {
    for (int64_t row = 0; row < rows; ++row, data += columns)
      for (int64_t j = 0; j < columns; ++j) to[j] = step(to[j], data[j], j);
    return;
  }
  const int64_t together = kFoldLanes / columns, width = together * columns;
  std::array<Acc, kFoldLanes> lanes;
  lanes.fill(zero);
  int64_t row = 0;
  for (; row + together <= rows; row += together, data += width)
    for (int64_t j = 0; j < width; ++j) lanes[static_cast<size_t>(j)] = step(lanes[static_cast<size_t>(j)], data[j], j);
  for (int64_t j = 0; j < (rows - row) * columns; ++j)
    lanes[static_cast<size_t>(j)] = step(lanes[static_cast<size_t>(j)], data[j], j);
  for (int64_t j = 0; j < width; ++j) to[j % columns] = merge(to[j % columns], lanes[static_cast<size_t>(j)]);
}

/// Calls fn(first element, its group, rows, columns) for each block of rows whose columns are groups of neighbours.
template <class Fn>
void for_each_block(const ReducedAxes& axes, Fn&& fn) {
  if (axes.groups == 0 || axes.size == 0) return;
  const int last = axes.count - 1;
  const bool kept_last = axes.axes[last].groups != 0;
  const int outer = kept_last && last > 0 ? last - 1 : last;  // where the block's rows lie
  const int64_t columns = kept_last ? axes.axes[last].extent : 1;
  const int64_t rows = kept_last && last == 0 ? 1 : axes.axes[outer].extent;
  int64_t blocks = 1;
  for (int axis = 0; axis < (kept_last && last == 0 ? 0 : outer); ++axis) blocks *= axes.axes[axis].extent;
  for (int64_t block = 0; block < blocks; ++block) {
    int64_t left = block, group = 0;
    for (int axis = outer - 1; axis >= 0; --axis) {
      group += left % axes.axes[axis].extent * axes.axes[axis].groups;
      left /= axes.axes[axis].extent;
    }
    fn(block * rows * columns, group, rows, columns);
  }
}

}  // namespace penstock::kernels

// What an element of a tensor is when boxes of it are erased. One body for CPUs and GPUs.
#pragma once

#include <cstdint>

#include "kernels/elements/job.h"

namespace penstock::kernels {

/// `value`, the element number `index` of the tensor, or the fill value where it lies in a box.
template <class = void>
[[gnu::noinline]] constexpr double erased(const EraseTable& table, uint64_t index, double value) {
  int64_t place[kMaxDims] = {};
  auto left = static_cast<int64_t>(index);
  for (int axis = table.ndim - 1; axis >= 0; --axis) {
    place[axis] = left % table.extents[axis];
    left /= table.extents[axis];
  }
  for (int32_t box = 0; box < table.count; ++box) {
    const int64_t *begin = table.boxes + box * 2 * table.ndim, *end = begin + table.ndim;
    bool inside = true;
    for (int axis = 0; axis < table.ndim; ++axis)
      inside = inside && place[axis] >= begin[axis] && place[axis] < end[axis];
    if (inside) return table.fills[table.channel_axis < 0 ? 0 : place[table.channel_axis]];
  }
  return value;
}

}  // namespace penstock::kernels

// What an element of a tensor is when boxes of it are erased. One body for CPUs and GPUs.
#pragma once

#include <cstdint>

#include "kernels/elements/job.h"

namespace penstock::kernels {

/// `Number` holds the number of each element: a GPU divides 64 bits in the time of four divisions of 32.
template <class Number>
constexpr double erased_at(const EraseTable& table, Number index, double value) {
  Number place[kMaxDims] = {}, left = index;
  for (int axis = table.ndim - 1; axis >= 0; --axis) {
    const auto extent = static_cast<Number>(table.extents[axis]);
    const Number outer = left / extent;
    place[axis] = left - outer * extent;
    left = outer;
  }
  for (int32_t box = 0; box < table.count; ++box) {
    const int64_t *begin = table.boxes + box * 2 * table.ndim, *end = begin + table.ndim;
    bool inside = true;
    for (int axis = 0; axis < table.ndim; ++axis)
      inside =
          inside && place[axis] >= static_cast<Number>(begin[axis]) && place[axis] < static_cast<Number>(end[axis]);
    if (inside) return table.fills[table.channel_axis < 0 ? 0 : place[table.channel_axis]];
  }
  return value;
}

/// `value`, the element number `index` of the tensor, or the fill value where it lies in a box.
template <class = void>
[[gnu::noinline]] constexpr double erased(const EraseTable& table, uint64_t index, double value) {
  if (index < table.first || index > table.last) return value;
  if (table.narrow) return erased_at(table, static_cast<uint32_t>(index), value);
  return erased_at(table, index, value);
}

}  // namespace penstock::kernels

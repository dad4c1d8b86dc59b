// What an element of a tensor is when boxes of it are erased. One body for CPUs and GPUs.
#pragma once

#include <cstdint>

#include "kernels/elements/job.h"

namespace penstock::kernels {

/// `Number` holds the number of each element: a GPU divides 64 bits in the time of four divisions of 32.
template <class Number, class Real>
constexpr Real erased_at(const EraseTable& table, Number index, Real value) {
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
    if (inside) return static_cast<Real>(table.fills[table.channel_axis < 0 ? 0 : place[table.channel_axis]]);
  }
  return value;
}

/// Whether a row along the last axis lies in a box as far as the axes before say. Sets its channel if one of them
/// counts channels.
template <class = void>
constexpr bool row_lies_in(const EraseTable& table, int32_t box, uint32_t row, int64_t& channel) {
  const int64_t *begin = table.boxes + box * 2 * table.ndim, *end = begin + table.ndim;
  for (int axis = table.ndim - 2; axis >= 0; --axis) {
    const auto extent = static_cast<uint32_t>(table.extents[axis]);
    const uint32_t outer = row / extent, place = row - outer * extent;
    if (place < begin[axis] || place >= end[axis]) return false;
    if (axis == table.channel_axis) channel = place;
    row = outer;
  }
  return true;
}

/// Erases some neighbours, elements `at` and following: row by row along the table's last axis.
template <int kCount>
[[gnu::noinline]] constexpr void erase_run(const EraseTable& table, uint32_t at, float (&values)[kCount]) {
  const int last = table.ndim - 1;
  const auto extent = last < 0 ? 1u : static_cast<uint32_t>(table.extents[last]);
  for (int64_t done = 0; done < kCount;) {
    const uint32_t row = at / extent, column = at - row * extent;
    const int64_t end = done + (extent - column) < kCount ? done + (extent - column) : kCount;
    for (int32_t box = table.count; box-- > 0;) {  // the first one counts
      int64_t channel = 0;
      if (!row_lies_in(table, box, row, channel)) continue;
      const int64_t *begin_of = table.boxes + box * 2 * table.ndim, *end_of = begin_of + table.ndim;
      for (int64_t k = done; k < end; ++k) {
        const int64_t place = column + (k - done);
        if (last >= 0 && (place < begin_of[last] || place >= end_of[last])) continue;
        values[k] = static_cast<float>(table.fills[last >= 0 && table.channel_axis == last ? place : channel]);
      }
    }
    at += static_cast<uint32_t>(end - done);
    done = end;
  }
}

/// `value`, the element number `index` of the tensor, or the fill value where it lies in a box.
template <class Real>
[[gnu::noinline]] constexpr Real erased(const EraseTable& table, uint64_t index, Real value) {
  if (index < table.first || index > table.last) return value;
  if (table.narrow) return erased_at(table, static_cast<uint32_t>(index), value);
  return erased_at(table, index, value);
}

}  // namespace penstock::kernels

#include "kernels/strided/strided.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/check.h"

namespace penstock::kernels {
namespace {

/// One axis of a copy: extent and both strides in elements.
struct Axis {
  int64_t extent = 1, src = 0, dst = 0;
};

struct Plan {
  std::array<Axis, kMaxDims> axes;
  int ndim = 0;
};

/// Drops axes of extent 1 and joins neighbours that step as one, so that the loops are long.
Plan simplified(const Shape& shape, const Strides& src, const Strides& dst) {
  Plan plan;
  for (int i = 0; i < shape.ndim(); ++i) {
    const auto k = static_cast<size_t>(i);
    const Axis axis{shape[i], src[k], dst[k]};
    if (axis.extent == 1) continue;
    if (plan.ndim > 0) {
      Axis& outer = plan.axes[static_cast<size_t>(plan.ndim - 1)];
      if (outer.src == axis.src * axis.extent && outer.dst == axis.dst * axis.extent) {
        outer = {outer.extent * axis.extent, axis.src, axis.dst};
        continue;
      }
    }
    plan.axes[static_cast<size_t>(plan.ndim++)] = axis;
  }
  return plan;
}

template <class T>
void copy_line(const T* src, T* dst, const Axis& axis) {
  if (axis.src == 1 && axis.dst == 1) {
    std::memcpy(dst, src, static_cast<size_t>(axis.extent) * sizeof(T));
  } else if (axis.dst == 1) {
    for (int64_t i = 0; i < axis.extent; ++i) dst[i] = src[i * axis.src];
  } else {
    for (int64_t i = 0; i < axis.extent; ++i) dst[i * axis.dst] = src[i * axis.src];
  }
}

/// Lines of `kCount` elements, as the channels of pixels: a copy whose length the compiler knows is no call.
template <size_t kCount, class T>
void copy_runs(const T* src, T* dst, const Axis& outer) {
  for (int64_t y = 0; y < outer.extent; ++y) std::memcpy(dst + y * outer.dst, src + y * outer.src, kCount * sizeof(T));
}

template <class T>
void copy_dense_lines(const T* src, T* dst, const Axis& outer, const Axis& inner) {
  switch (inner.extent) {
    case 2:
      return copy_runs<2>(src, dst, outer);
    case 3:
      return copy_runs<3>(src, dst, outer);
    case 4:
      return copy_runs<4>(src, dst, outer);
    default:
      for (int64_t y = 0; y < outer.extent; ++y) copy_line(src + y * outer.src, dst + y * outer.dst, inner);
  }
}

/// Two innermost axes in tiles, so that the lines read on one side and written on the other stay in the L1 cache.
template <class T>
void copy_plane(const T* src, T* dst, const Axis& outer, const Axis& inner) {
  if (inner.src == 1 && inner.dst == 1) return copy_dense_lines(src, dst, outer, inner);
  constexpr int64_t kLong = 512, kTile = 16;  // 16 rows: lines a power of two apart share few places in the cache
  const int64_t rows = inner.extent <= kTile ? kLong : kTile;
  const int64_t columns = outer.extent <= kTile ? kLong : kTile;
  for (int64_t y = 0; y < outer.extent; y += rows) {
    const int64_t height = std::min(rows, outer.extent - y);
    for (int64_t x = 0; x < inner.extent; x += columns) {
      const Axis line{std::min(columns, inner.extent - x), inner.src, inner.dst};
      for (int64_t i = 0; i < height; ++i)
        copy_line(src + (y + i) * outer.src + x * inner.src, dst + (y + i) * outer.dst + x * inner.dst, line);
    }
  }
}

template <class T>
void copy_axes(const T* src, T* dst, const Axis* axes, int ndim) {
  if (ndim == 0) {
    *dst = *src;
  } else if (ndim == 1) {
    copy_line(src, dst, axes[0]);
  } else if (ndim == 2) {
    copy_plane(src, dst, axes[0], axes[1]);
  } else {
    for (int64_t i = 0; i < axes->extent; ++i) copy_axes(src + i * axes->src, dst + i * axes->dst, axes + 1, ndim - 1);
  }
}

template <class T>
void copy_elements(const Plan& plan, const std::byte* src, std::byte* dst) {
  copy_axes(reinterpret_cast<const T*>(src), reinterpret_cast<T*>(dst), plan.axes.data(), plan.ndim);
}

}  // namespace

Strides dense_strides(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int i = shape.ndim() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = step;
    step *= shape[i];
  }
  return strides;
}

void strided_copy(const Shape& shape, size_t element, const std::byte* src, const Strides& src_strides, std::byte* dst,
                  const Strides& dst_strides) {
  if (shape.volume() == 0) return;
  Plan plan = simplified(shape, src_strides, dst_strides);
  // The longer of the two innermost axes goes inside when the inner one is a handful of channels that are not
  // contiguous on both sides.
  if (plan.ndim >= 2) {
    Axis& outer = plan.axes[static_cast<size_t>(plan.ndim - 2)];
    Axis& inner = plan.axes[static_cast<size_t>(plan.ndim - 1)];
    const bool block = inner.src == 1 && inner.dst == 1;
    if (!block && inner.extent < 16 && outer.extent > inner.extent) std::swap(outer, inner);
  }
  switch (element) {
    case 1:
      return copy_elements<uint8_t>(plan, src, dst);
    case 2:
      return copy_elements<uint16_t>(plan, src, dst);
    case 4:
      return copy_elements<uint32_t>(plan, src, dst);
    case 8:
      return copy_elements<uint64_t>(plan, src, dst);
    default:
      fail<InternalError>("no copy for elements of {} bytes", element);
  }
}

void fill(std::byte* dst, const std::byte* value, size_t element, int64_t n) {
  if (n <= 0) return;
  // Doubling turns any element size into large memcpy calls.
  const size_t total = element * static_cast<size_t>(n);
  std::memcpy(dst, value, element);
  for (size_t done = element; done < total; done *= 2) std::memcpy(dst + done, dst, std::min(done, total - done));
}

}  // namespace penstock::kernels

// Windows that move over a picture or volume, and what lies beyond its borders. CPU and GPU share these.
#pragma once

#include <array>
#include <cstdint>

namespace penstock::kernels {

enum class Border : int32_t { kConstant, kClamp, kReflect1001, kReflect101, kWrap };

/// The element of an axis of `extent` elements that stands at index `i`, which may lie outside; -1: the fill value.
template <class Int>
constexpr Int border_index(Border border, Int i, Int extent) {
  if (i >= 0 && i < extent) return i;
  if (extent <= 0 || border == Border::kConstant) return -1;
  if (border == Border::kClamp) return i < 0 ? 0 : extent - 1;
  const auto modulo = [&](Int period) {
    const Int rest = i % period;
    return rest < 0 ? rest + period : rest;
  };
  if (border == Border::kWrap) return modulo(extent);
  if (extent == 1) return 0;
  const Int repeated = border == Border::kReflect1001 ? 1 : 0;
  const Int in_period = modulo(2 * extent - 2 + 2 * repeated);
  return in_period < extent ? in_period : 2 * extent - 2 + repeated - in_period;
}

/// One axis of a window's way: which elements there are, which results are made, and how the window lies over one.
struct WindowAxis {
  int32_t extent = 1;                    ///< of the whole source
  int32_t held_begin = 0, held = 1;      ///< elements of it that are there
  int32_t wanted_begin = 0, wanted = 1;  ///< results that are made
  int32_t taps = 1;                      ///< elements of the window
  int32_t anchor = 0;                    ///< the one that lies over the source's element of the result's index

  /// The first element that the first result sees, and how many all results see; they may lie outside.
  constexpr int32_t first() const { return wanted_begin - anchor; }
  constexpr int32_t reach() const { return wanted + taps - 1; }
  /// Distance from the first held element to the one at index `i`; -1: the fill value. Elements that are not held come
  /// out as ones that are: nothing else is read.
  constexpr int32_t source(Border border, int32_t i) const {
    const int32_t at = border_index(border, i, extent);
    if (at < 0) return -1;
    const int32_t in_held = at - held_begin;
    return in_held < 0 ? 0 : in_held < held ? in_held : held - 1;
  }
};

/// Axes z, y and x; pictures have a z axis of one element.
using WindowAxes = std::array<WindowAxis, 3>;

}  // namespace penstock::kernels

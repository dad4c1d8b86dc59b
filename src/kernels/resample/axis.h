// One axis of a resampling: which source pixels make an output pixel, and with which weights.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <penstock/types.h>

#include "kernels/resample/linear_axis.h"

namespace penstock::kernels {

/// What is resampled along one axis. Equal geometries give equal weights, whatever the window.
struct AxisGeometry {
  int64_t in = 1;            ///< source extent in pixels, at least 1
  int64_t out = 1;           ///< extent of the whole output, at least 1
  float start = 0, end = 1;  ///< source region that becomes the output; end < start flips; may lie outside
  InterpType filter = InterpType::kLinear;  ///< kTriangular is kLinear that honours `antialias`
  bool antialias = false;
  int64_t begin = 0, stop = 1;  ///< window of the output that is computed

  float step() const { return (end - start) / static_cast<float>(out); }
  /// Taps of every output pixel. Depends on the whole output alone.
  /// @throws ArgumentError for filters wider than 2^20 pixels.
  int64_t taps() const;
  friend bool operator==(const AxisGeometry&, const AxisGeometry&) = default;
};

/// The source pixels from and to which the window's taps reach; equal ones for an empty window.
std::pair<int64_t, int64_t> touched(const AxisGeometry& geometry);
/// The window's taps as a formula, where they are two of a linear filter.
std::optional<LinearAxis> linear_axis(const AxisGeometry& geometry);

/// The taps of the window's output pixels. Taps beyond the border are folded into the border pixel's weight, so all
/// positions lie inside the source.
struct Axis {
  int taps = 1;
  std::vector<int32_t> first;  ///< per output pixel
  std::vector<float> weights;  ///< [output pixel][tap], sum 1
  int64_t begin = 0, end = 0;  ///< source pixels that are touched; empty for an empty window

  int64_t size() const { return static_cast<int64_t>(first.size()); }
  const float* weights_of(int64_t i) const { return weights.data() + i * taps; }
  /// Every output pixel is the source pixel at the same place behind `begin`.
  bool copies() const;
  /// Fills everything anew; memory is kept.
  void assign(const AxisGeometry& geometry);
};

}  // namespace penstock::kernels

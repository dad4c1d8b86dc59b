// Resampling of images and volumes along up to three axes, with the channels interleaved or one plane at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>

#include "kernels/resample/axis.h"
#include "kernels/resample/lines.h"
#include "schema/region.h"

namespace penstock::kernels {

/// What is to be resampled. The z axis of a picture keeps its default: one plane that stays as it is.
struct Geometry {
  AxisGeometry z, y, x;
  int64_t channels = 1;
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// A prepared resampling: weights, and for the CPU vector tables and the order of the axes. Any window gives the same
/// bits as that part of the whole output.
class Resampler {
 public:
  /// Prepares for `geometry`; a repeated call with the same one costs a comparison.
  /// @throws ArgumentError for filters that are too wide.
  void plan(const Geometry& geometry);
  /// Floats of scratch memory that run needs.
  size_t scratch_size() const;
  /// Makes the window of the output.
  /// @param in    all planes of the source, of each the rows and columns `held`, densely, channels interleaved
  /// @param held  contains what the window touches, see touched(), of each plane from `first_plane` on
  /// @param out   receives the window, densely: [z][y][x][channel]
  /// @throws TypeError for other types than uint8, int16, uint16 and float.
  void run(DType in_type, const std::byte* in, const PlaneRegion& held, DType out_type, std::byte* out, float* scratch,
           int64_t first_plane = 0);

 private:
  struct Plane;
  template <class Emit>
  void resample_plane(const Plane& plane, float* scratch, Emit&& emit) const;
  template <class Emit>
  void vertical_first(const Plane& plane, float* scratch, Emit&& emit) const;
  template <class Emit>
  void horizontal_first(const Plane& plane, float* scratch, Emit&& emit) const;
  size_t in_line() const { return static_cast<size_t>((x_.end - x_.begin) * geometry_.channels); }
  size_t out_line() const { return static_cast<size_t>(x_.size() * geometry_.channels); }
  size_t plane_scratch() const;

  Geometry geometry_;
  Axis z_, y_, x_;
  LineTable table_;
  bool planned_ = false, tabled_ = false, vertical_first_ = false;
};

}  // namespace penstock::kernels

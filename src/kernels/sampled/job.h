// Pictures and volumes whose elements are looked up at places of another one, which a map says: affine maps here,
// others share the body.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "kernels/neighbourhood/window.h"

namespace penstock::kernels {

enum class Sampling : int32_t { kNearest, kLinear };

/// Axes are x, y and z, in that order. Places are those of elements' centres: element 0 covers [0, 1), its centre is
/// 0.5.
inline constexpr int kSampledAxes = 3;

/// The source, channels interleaved. Pictures have a z axis of one plane. Frames lie one behind the other.
struct SampledSource {
  const void* in = nullptr;
  int32_t size[kSampledAxes] = {1, 1, 1};    ///< of the whole source
  int32_t held[kSampledAxes] = {};           ///< first element that `in` holds
  int32_t extent[kSampledAxes] = {1, 1, 1};  ///< elements that it holds, densely
  int32_t channels = 1;
  int32_t ndim = 2;  ///< 3: z counts
  Sampling sampling = Sampling::kLinear;
  bool clamp = false;                 ///< beyond the border lies the border's element, not the fill value
  Border beyond = Border::kConstant;  ///< what lies there where it does not clamp
  const float* fill = nullptr;        ///< per channel; null: zero
};

/// The part of the result that is made, of each frame.
struct SampledTarget {
  void* out = nullptr;
  int32_t first[kSampledAxes] = {};  ///< its first element; of pictures z is the first frame
  int32_t extent[kSampledAxes] = {1, 1, 1};
  constexpr int64_t positions() const { return int64_t{extent[0]} * extent[1] * extent[2]; }
};

/// Place in the source = matrix * (place in the result, 1), rows and columns in the order x, y, z.
struct AffineMap {
  float matrix[kSampledAxes][kSampledAxes + 1] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
};

template <class Map>
struct SampledJob {
  SampledSource source;
  SampledTarget target;
  Map map;
  int32_t frames = 1;  ///< that are made, and that the source holds: each is looked up in its own

  /// Planes of the result, which all frames have together.
  constexpr int32_t planes() const { return frames * target.extent[2]; }
};

/// `most_elements` are positions. `in` is uint8, int16, uint16, int32 or float; `out` the same or float.
inline constexpr device::Kernel<SampledJob<AffineMap>> kSampledAffine{"sampled_affine"};

}  // namespace penstock::kernels

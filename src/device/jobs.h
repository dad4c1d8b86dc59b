// The work of one sample in a launch over a batch, as the host describes it and a kernel reads it. Tables (offsets,
// weights) are those of the CPU's kernels, so both read the same source elements with the same weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>
#include <penstock/shape.h>

namespace penstock::device {

struct CopyJob {
  const void* from = nullptr;
  void* to = nullptr;
  size_t bytes = 0;
};

/// Devices that can share one module, in one launch.
inline constexpr int kMostReplicas = 16;

/// Addresses that are known when a launch is queued, not when its jobs are written.
inline constexpr int kMostBases = 16;
struct Bases {
  void* at[kMostBases] = {};  ///< the first is null: what begins there is an address as it is
};

/// Up to `bytes` of a tensor that has copies elsewhere: they are written where the checksum of `from` is not the one
/// that is noted, which then is; where none is asked for, in any case.
struct RenewJob {
  const void* from = nullptr;    ///< bytes from its base
  uint64_t* checksum = nullptr;  ///< 0: nothing was sent yet
  void* to[kMostReplicas] = {};  ///< bytes from their base
  uint32_t from_base = 0;
  uint32_t to_base = 0;
  uint32_t copies = 0;  ///< how many of `to` there are
  uint32_t bytes = 0;
};

enum class RealType : uint32_t { kFloat32, kFloat64, kFloat16, kBfloat16 };

/// to[i] = sum of from[...][i], in the order of the addends, summed in single precision or better.
struct TotalJob {
  const void* from[kMostReplicas] = {};
  uint64_t to = 0;  ///< bytes from where the launch says
  uint32_t addends = 0;
  uint32_t elements = 0;
  RealType type = RealType::kFloat32;
};

/// Up to this many axes, after neighbours have been joined.
inline constexpr int kGatherAxes = 6;
inline constexpr int32_t kOutside = -1;

/// out[i0, i1, ...] = convert((in[sum of offsets] - mean) * inverse), or a fill value where an offset is kOutside.
struct GatherJob {
  const void* in = nullptr;
  void* out = nullptr;
  int ndim = 0;
  int channel_axis = -1;  ///< -1: factors and fill values are the same everywhere
  int32_t extents[kGatherAxes] = {};
  const int32_t* offsets[kGatherAxes] = {};  ///< per axis: distance in elements from the first one, or kOutside
  const float* mean = nullptr;               ///< per channel; null: elements are converted as they are
  const float* inverse = nullptr;
  const float* fills = nullptr;  ///< per channel; null: zero
  bool truncate = false;         ///< drop fractions instead of rounding
};

/// As many parts as one launch sums.
inline constexpr int kSumParts = 64;

/// out = parts[0] + parts[1] + ..., in that order, divided by their number for a mean.
struct SumJob {
  const void* parts[kSumParts] = {};
  int count = 0;
  bool mean = false;
  void* out = nullptr;
  int64_t elements = 0;
};

struct ResampleAxis {
  int taps = 1;
  int32_t extent = 1;              ///< of the result
  const int32_t* first = nullptr;  ///< per result: its first source pixel, counted in what `in` holds
  const float* weights = nullptr;  ///< [result][tap]
};

/// out[o, z, y, x, c] = sum of weights times pixels.
struct ResampleJob {
  const void* in = nullptr;
  void* out = nullptr;
  ResampleAxis z, y, x;
  int32_t channels = 1;
  int32_t outer = 1;      ///< planes before the spatial axes
  int32_t rows = 0;       ///< of the source, per plane in z
  int32_t columns = 0;    ///< of the source
  int32_t in_planes = 1;  ///< extent of the source along z
};

/// Axes of a tensor that are walked along: extents, and strides in elements.
struct StatisticsAxes {
  int32_t ndim = 0;
  int32_t extents[kMaxDims] = {};
  int32_t strides[kMaxDims] = {};
};

/// Mean, and the reciprocal of the standard deviation, of each group of elements; groups differ along the axes that are
/// kept.
struct StatisticsJob {
  const void* in = nullptr;
  DType dtype = DType::kNone;
  StatisticsAxes kept, reduced;
  int64_t groups = 1, size = 1;  ///< elements of a group
  float* mean = nullptr;
  float* inverse = nullptr;  ///< times `scale`
  bool mean_given = false, inverse_given = false;
  float scale = 1, epsilon = 0;
  int32_t ddof = 0;
};

}  // namespace penstock::device

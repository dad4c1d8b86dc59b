// Maps of pictures that are not affine: each says where in the source a position of the result lies. Positions are
// given by their centres; z counts frames, likewise.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/random.h"
#include "kernels/sampled/body.h"

namespace penstock::kernels {

/// Place = (x / w, y / w, with (x, y, w) = matrix * (place in the result, 1).
struct PerspectiveMap {
  float matrix[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

constexpr SampledPlace place_of(const PerspectiveMap& map, const SampledPlace& target) {
  float made[3] = {};
  for (int row = 0; row < 3; ++row)
    made[row] = map.matrix[row][0] * target.at[0] + map.matrix[row][1] * target.at[1] + map.matrix[row][2];
  return {{made[0] / made[2], made[1] / made[2], 0.5f}};
}

/// The index of the element that a centre belongs to.
constexpr int32_t index_of(float centre) { return static_cast<int32_t>(centre); }

/// Places that two tables hold, one entry for each position.
struct TableMap {
  const float* x = nullptr;
  const float* y = nullptr;
  int32_t first[2] = {};  ///< position that the first entry is for
  int32_t columns = 1;    ///< entries of a row
  int32_t rows = 1;       ///< of a frame
  int32_t by_frame = 0;   ///< 1: each frame has entries of its own
  float shift = 0;        ///< from the tables' places to ours

  constexpr int64_t entry(const SampledPlace& target) const {
    const int32_t frame = by_frame ? index_of(target.at[2]) : 0;
    return (int64_t{frame} * rows + index_of(target.at[1]) - first[1]) * columns + index_of(target.at[0]) - first[0];
  }
};

constexpr SampledPlace place_of(const TableMap& map, const SampledPlace& target) {
  const int64_t entry = map.entry(target);
  return {{map.x[entry] + map.shift, map.y[entry] + map.shift, 0.5f}};
}

/// Each row is shifted along x, each column along y: place = index + shift.
struct WaveMap {
  const float* of_rows = nullptr;     ///< shift along x, of row `first[1]` on
  const float* of_columns = nullptr;  ///< shift along y, of column `first[0]` on
  int32_t first[2] = {};
};

constexpr SampledPlace place_of(const WaveMap& map, const SampledPlace& target) {
  const int32_t x = index_of(target.at[0]), y = index_of(target.at[1]);
  return {{static_cast<float>(x) + map.of_rows[y - map.first[1]],
           static_cast<float>(y) + map.of_columns[x - map.first[0]], 0.5f}};
}

/// A ball in front of the picture: places come the nearer to the middle the nearer they are.
struct SphereMap {
  float middle[2] = {};
  float radius = 1;    ///< whose places stay
  int32_t is_off = 0;  ///< 1: all places stay
};

template <class = void>  // for clang: a square root is no constant there
constexpr SampledPlace place_of(const SphereMap& map, const SampledPlace& target) {
  if (map.is_off) return target;
  const float x = target.at[0] - map.middle[0], y = target.at[1] - map.middle[1];
  const float away = std::sqrt(x * x + y * y) / map.radius;
  return {{map.middle[0] + away * x, map.middle[1] + away * y, 0.5f}};
}

/// Random neighbours, which the sample's key and the position decide about, within the picture.
struct JitterMap {
  uint64_t key = 0;
  int32_t size[2] = {};  ///< of the picture
  int32_t reach = 0;     ///< elements to both sides at most
  int32_t unused = 0;
};

constexpr SampledPlace place_of(const JitterMap& map, const SampledPlace& target) {
  const int32_t x = index_of(target.at[0]), y = index_of(target.at[1]), frame = index_of(target.at[2]);
  const auto position = static_cast<uint64_t>((int64_t{frame} * map.size[1] + y) * map.size[0] + x);
  const uint64_t drawn = mix64(map.key + position * 0x9e3779b97f4a7c15ull);
  const auto count = static_cast<uint64_t>(2 * map.reach + 1);
  const int32_t moved[] = {x - map.reach + static_cast<int32_t>((drawn >> 32) * count >> 32),
                           y - map.reach + static_cast<int32_t>((drawn & 0xffffffffu) * count >> 32)};
  SampledPlace place{};
  for (int axis = 0; axis < 2; ++axis) {
    const int32_t last = map.size[axis] - 1, at = moved[axis] < 0 ? 0 : moved[axis] > last ? last : moved[axis];
    place.at[axis] = static_cast<float>(at) + 0.5f;
  }
  return place;
}

/// `most_elements` are positions. `in` is uint8, int16, uint16, int32 or float, and `out` is the same.
inline constexpr device::Kernel<SampledJob<PerspectiveMap>> kSampledPerspective{"sampled_perspective"};
inline constexpr device::Kernel<SampledJob<TableMap>> kSampledTable{"sampled_table"};
inline constexpr device::Kernel<SampledJob<WaveMap>> kSampledWave{"sampled_wave"};
inline constexpr device::Kernel<SampledJob<SphereMap>> kSampledSphere{"sampled_sphere"};
inline constexpr device::Kernel<SampledJob<JitterMap>> kSampledJitter{"sampled_jitter"};

/// Makes the pictures of a job on the CPU, as run_sampled() does. @throws TypeError likewise
template <class Map>
void run_mapped(const SampledJob<Map>& job, DType dtype);
extern template void run_mapped(const SampledJob<PerspectiveMap>&, DType);
extern template void run_mapped(const SampledJob<TableMap>&, DType);
extern template void run_mapped(const SampledJob<WaveMap>&, DType);
extern template void run_mapped(const SampledJob<SphereMap>&, DType);
extern template void run_mapped(const SampledJob<JitterMap>&, DType);

}  // namespace penstock::kernels

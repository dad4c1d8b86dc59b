#include "kernels/histogram/clahe.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/histogram/lab_rows.h"

namespace penstock::kernels {
namespace {

/// One changed channel: its first byte, of pixels that lie `step` bytes apart.
struct Plane {
  const uint8_t* in;
  uint8_t* out;
  int32_t step;
};

void make_table(const ClaheJob& job, const Plane& plane, int32_t tile, uint8_t* table) {
  const ClaheGrid& grid = job.grid;
  const int32_t first_row = tile / grid.tiles_x * grid.tile_height, first = tile % grid.tiles_x * grid.tile_width;
  uint32_t counts[2][kLevels] = {};  // two by turns: alike neighbours would wait for each other
  const int32_t inside = std::clamp(job.columns - first, 0, grid.tile_width);
  for (int32_t y = first_row; y < first_row + grid.tile_height; ++y) {
    const uint8_t* row = plane.in + int64_t{clahe_source(y, job.rows)} * job.columns * plane.step;
    const uint8_t* at = row + int64_t{first} * plane.step;
    for (int32_t x = 0; x < inside; ++x, at += plane.step) ++counts[x & 1][*at];
    for (int32_t x = first + inside; x < first + grid.tile_width; ++x)
      ++counts[0][row[int64_t{clahe_source(x, job.columns)} * plane.step]];
  }
  uint32_t excess = 0;
  for (int level = 0; level < kLevels; ++level) counts[0][level] += counts[1][level];
  if (grid.most > 0)
    for (uint32_t& count : counts[0]) {
      const uint32_t left = std::min(count, static_cast<uint32_t>(grid.most));
      excess += count - left;
      count = left;
    }
  const ClaheShares shares(excess);
  const float scale = 255.f / static_cast<float>(grid.area());
  uint32_t up_to = 0;
  for (uint32_t level = 0; level < kLevels; ++level) {
    up_to += counts[0][level] + shares.of(level);
    table[level] = static_cast<uint8_t>(std::min(std::nearbyint(static_cast<float>(up_to) * scale), 255.f));
  }
}

void mix(const ClaheJob& job, const Plane& plane, const uint8_t* tables) {
  const ClaheGrid& grid = job.grid;
  const float per_row = 1.f / static_cast<float>(grid.tile_height),
              per_column = 1.f / static_cast<float>(grid.tile_width);
  std::vector<ClaheTap> taps(static_cast<size_t>(job.columns));
  for (int32_t x = 0; x < job.columns; ++x) taps[static_cast<size_t>(x)] = clahe_tap(x, per_column, grid.tiles_x);
  for (int32_t y = 0; y < job.rows; ++y) {
    const ClaheTap down = clahe_tap(y, per_row, grid.tiles_y);
    const uint8_t* const upper = tables + int64_t{down.first} * grid.tiles_x * kLevels;
    const uint8_t* const lower = tables + int64_t{down.second} * grid.tiles_x * kLevels;
    const int64_t row = int64_t{y} * job.columns * plane.step;
    for (int32_t x = 0; x < job.columns; ++x) {
      const ClaheTap& across = taps[static_cast<size_t>(x)];
      const int32_t level = plane.in[row + int64_t{x} * plane.step];
      const int32_t left = across.first * kLevels + level, right = across.second * kLevels + level;
      const uint8_t of[4] = {upper[left], upper[right], lower[left], lower[right]};
      const float mixed = clahe_mixed(of, across.weight, down.weight);
      // Adding 1.5 * 2^23 leaves no fraction: it rounds ties to even, and needs no call.
      plane.out[row + int64_t{x} * plane.step] =
          static_cast<uint8_t>(static_cast<int32_t>((mixed + 12582912.f) - 12582912.f));
    }
  }
}

}  // namespace

void clahe(const ClaheJob& job) {
  const int64_t pixels = int64_t{job.rows} * job.columns;
  const auto* in = static_cast<const uint8_t*>(job.in);
  auto* out = static_cast<uint8_t*>(job.out);
  if (job.lightness_alone) rgb_to_lab(job.of_lab, in, pixels, job.lab);
  for (int32_t channel = 0; channel < job.changed(); ++channel) {
    const Plane plane =
        job.lightness_alone ? Plane{job.lab, job.lab, 1} : Plane{in + channel, out + channel, job.channels};
    for (int32_t tile = 0; tile < job.grid.tiles(); ++tile)
      make_table(job, plane, tile, job.tables + int64_t{tile} * kLevels);
    mix(job, plane, job.tables);
  }
  if (job.lightness_alone) lab_to_rgb(job.of_lab, job.lab, pixels, out);
}

}  // namespace penstock::kernels

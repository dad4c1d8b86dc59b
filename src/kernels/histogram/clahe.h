// Contrast-limited adaptive histogram equalization: a table for each tile of the picture, and between the middles of
// tiles a mixture of their tables. CPU and GPU share the rules, which are OpenCV's.
#pragma once

#include <cstdint>

#include "kernels/histogram/equalize.h"
#include "kernels/histogram/lab.h"
#include "kernels/neighbourhood/window.h"

namespace penstock::kernels {

/// Tiles cover the picture; where it does not divide into them, rows or columns beyond its border are mirrored.
struct ClaheGrid {
  int32_t tiles_x = 1, tiles_y = 1;
  int32_t tile_width = 1, tile_height = 1;
  int32_t most = 0;  ///< of a level in a tile; 0: as many as there are

  constexpr int32_t tiles() const { return tiles_x * tiles_y; }
  constexpr int32_t area() const { return tile_width * tile_height; }
};

/// The part of a level's excess that a level gets: all the same, and what remains by steps.
struct ClaheShares {
  uint32_t each = 0, rest = 0, step = 1;
  constexpr ClaheShares() = default;
  constexpr explicit ClaheShares(uint32_t excess)
      : each(excess / kLevels), rest(excess % kLevels), step(rest ? kLevels / rest : 1) {}
  constexpr uint32_t of(uint32_t level) const { return each + (level % step == 0 && level / step < rest ? 1 : 0); }
};

/// What lies between the middles of two tiles along an axis.
struct ClaheTap {
  int32_t first = 0, second = 0;  ///< tiles
  float weight = 0;               ///< of the second
};
constexpr ClaheTap clahe_tap(int32_t at, float per_tile, int32_t tiles) {
  const float place = static_cast<float>(at) * per_tile - 0.5f;
  auto low = static_cast<int32_t>(place);
  if (static_cast<float>(low) > place) --low;
  return {low < 0 ? 0 : low, low + 1 > tiles - 1 ? tiles - 1 : low + 1, place - static_cast<float>(low)};
}

/// The element that a tile sees at index `i` of an axis.
constexpr int32_t clahe_source(int32_t i, int32_t extent) { return border_index(Border::kReflect101, i, extent); }

/// The mixture of four tables' entries; to be rounded, ties to even.
constexpr float clahe_mixed(const uint8_t (&of)[4], float across, float down) {
  const float left = 1 - across, up = 1 - down;
  return (static_cast<float>(of[0]) * left + static_cast<float>(of[1]) * across) * up +
         (static_cast<float>(of[2]) * left + static_cast<float>(of[3]) * across) * down;
}

/// A picture of interleaved channels.
struct ClaheJob {
  const void* in = nullptr;
  void* out = nullptr;
  uint8_t* lab = nullptr;     ///< as L*a*b*, where only the lightness changes: planes on the CPU, pixels on GPUs
  uint8_t* tables = nullptr;  ///< [changed channel][tile][level]
  LabTables of_lab;
  ClaheGrid grid;
  int32_t rows = 0, columns = 0, channels = 1;
  int32_t lightness_alone = 0;

  constexpr int32_t changed() const { return lightness_alone ? 1 : channels; }
};

/// `most_elements` are bytes.
inline constexpr device::Kernel<ClaheJob> kClahe{"clahe"};

/// The same on the CPU.
void clahe(const ClaheJob& job);

}  // namespace penstock::kernels

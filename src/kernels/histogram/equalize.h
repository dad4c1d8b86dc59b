// Histograms of bytes, and the tables that make one flat. CPU and GPU share the rule.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

inline constexpr int kLevels = 256;  ///< that a byte has

/// What stands for a level that `up_to` of all elements do not exceed, where `lowest` have the least level there is.
/// Rounds ties to even, as OpenCV does. @pre lowest < total
constexpr float equalized(uint32_t up_to, uint32_t lowest, uint32_t total) {
  return static_cast<float>(up_to - lowest) * (255.f / static_cast<float>(total - lowest));
}

/// Pictures of interleaved channels, one behind the other; each channel of each is spread by itself.
struct EqualizeJob {
  const void* in = nullptr;
  void* out = nullptr;
  uint32_t* counts = nullptr;  ///< [picture][channel][level]; becomes the tables
  int32_t pictures = 1, channels = 1;
  int64_t pixels = 0;  ///< of a picture
};

/// `most_elements` are bytes.
inline constexpr device::Kernel<EqualizeJob> kEqualize{"equalize"};

/// counts[channel][level] of interleaved pixels.
void count_levels(const uint8_t* in, int64_t pixels, int32_t channels, uint32_t* counts);

/// The table of a channel: where all elements have one level, it stays.
void equalizing_table(const uint32_t* counts, int64_t pixels, uint8_t* table);

/// out[pixel][channel] = tables[channel][in[pixel][channel]].
void look_levels_up(const uint8_t* in, int64_t pixels, int32_t channels, const uint8_t* tables, uint8_t* out);

}  // namespace penstock::kernels

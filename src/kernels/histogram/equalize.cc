#include "kernels/histogram/equalize.h"

#include <algorithm>
#include <cmath>

namespace penstock::kernels {
namespace {

/// Elements that are counted one after the other go to different counters: alike neighbours would wait for each other.
constexpr int kCounters = 4;

template <int kChannels>
void count(const uint8_t* in, int64_t pixels, uint32_t* counts) {
  uint32_t own[kCounters][kChannels][kLevels] = {};
  int64_t pixel = 0;
  for (; pixel + kCounters <= pixels; pixel += kCounters, in += kCounters * kChannels)
    for (int k = 0; k < kCounters; ++k)
      for (int c = 0; c < kChannels; ++c) ++own[k][c][in[k * kChannels + c]];
  for (; pixel < pixels; ++pixel, in += kChannels)
    for (int c = 0; c < kChannels; ++c) ++own[0][c][in[c]];
  for (int c = 0; c < kChannels; ++c)
    for (int level = 0; level < kLevels; ++level)
      for (int k = 0; k < kCounters; ++k) counts[c * kLevels + level] += own[k][c][level];
}

}  // namespace

void count_levels(const uint8_t* in, int64_t pixels, int32_t channels, uint32_t* counts) {
  std::fill_n(counts, channels * kLevels, 0u);
  if (channels == 1) return count<1>(in, pixels, counts);
  if (channels == 3) return count<3>(in, pixels, counts);
  for (int64_t i = 0; i < pixels; ++i)
    for (int32_t c = 0; c < channels; ++c) ++counts[c * kLevels + *in++];
}

void equalizing_table(const uint32_t* counts, int64_t pixels, uint8_t* table) {
  const auto total = static_cast<uint32_t>(pixels);
  int least = 0;
  while (least < kLevels - 1 && counts[least] == 0) ++least;
  std::fill_n(table, kLevels, static_cast<uint8_t>(least));
  if (counts[least] == total) return;
  uint32_t up_to = 0;
  for (int level = least; level < kLevels; ++level) {
    up_to += counts[level];
    table[level] = static_cast<uint8_t>(std::nearbyint(equalized(up_to, counts[least], total)));
  }
}

}  // namespace penstock::kernels

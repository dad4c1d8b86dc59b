// In the place of src/cuda/support/pack.cuh.
#pragma once

#include <algorithm>
#include <cstdint>

namespace penstock::cuda {

inline uint32_t pack_shorts(int low, int high) {
  const auto bits = [](int x) { return static_cast<uint32_t>(std::clamp(x, -32768, 32767)) & 0xFFFF; };
  return bits(low) | bits(high) << 16;
}
inline uint32_t pack_bytes(int a, int b, int c, int d) {
  const auto bits = [](int x) { return static_cast<uint32_t>(std::clamp(x, 0, 255)); };
  return bits(a) | bits(b) << 8 | bits(c) << 16 | bits(d) << 24;
}
inline uint32_t pack_signed_bytes(int a, int b, int c, int d) {
  const auto bits = [](int x) { return static_cast<uint32_t>(std::clamp(x, -128, 127)) & 0xFF; };
  return bits(a) | bits(b) << 8 | bits(c) << 16 | bits(d) << 24;
}

}  // namespace penstock::cuda

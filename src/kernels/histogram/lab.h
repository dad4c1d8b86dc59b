// Bytes of sRGB as bytes of L*a*b* (D65) and back: the fixed-point numbers of OpenCV on the way there, floats on the
// way back. CPU and GPU share the rules and, for powers and roots, tables.
#pragma once

#include <cstdint>

namespace penstock::kernels {

inline constexpr int kLabRoots = 3072;    ///< entries up to 1.5 in steps of 1 / 2040
inline constexpr int kLabGammas = 16384;  ///< entries up to 1

struct LabTables {
  const uint16_t* linear = nullptr;  ///< of a byte's intensity, in steps of 1 / 2040
  const uint16_t* root = nullptr;    ///< of L*a*b*'s function of an intensity, in steps of 1 / 32768
  const uint8_t* gamma = nullptr;    ///< the byte of an intensity
};

constexpr uint8_t lab_byte(int32_t x) { return static_cast<uint8_t>(x < 0 ? 0 : x > 255 ? 255 : x); }

/// Entries of the table of roots for intensities of red, green and blue.
struct LabRoots {
  int32_t x = 0, y = 0, z = 0;
};
constexpr LabRoots lab_roots(int32_t r, int32_t g, int32_t b) {
  return {(1777 * r + 1541 * g + 778 * b + 2048) >> 12, (871 * r + 2929 * g + 296 * b + 2048) >> 12,
          (73 * r + 448 * g + 3575 * b + 2048) >> 12};
}

// Of roots.
inline constexpr int32_t kLabHalf = 1 << 14, kLabMiddle = 128 << 15, kLabBlack = 1336934;  // 16 of L's 116, for bytes
constexpr uint8_t lab_lightness(int32_t y) { return lab_byte((296 * y - kLabBlack + kLabHalf) >> 15); }
constexpr uint8_t lab_a(int32_t x, int32_t y) { return lab_byte((500 * (x - y) + kLabMiddle + kLabHalf) >> 15); }
constexpr uint8_t lab_b(int32_t y, int32_t z) { return lab_byte((200 * (y - z) + kLabMiddle + kLabHalf) >> 15); }

constexpr void lab_of(const LabTables& tables, const uint8_t* rgb, uint8_t* lab) {
  const LabRoots at = lab_roots(tables.linear[rgb[0]], tables.linear[rgb[1]], tables.linear[rgb[2]]);
  const int32_t x = tables.root[at.x], y = tables.root[at.y], z = tables.root[at.z];
  lab[0] = lab_lightness(y);
  lab[1] = lab_a(x, y);
  lab[2] = lab_b(y, z);
}

constexpr float lab_intensity(float root) {
  return root > 6.f / 29 ? root * root * root : (root - 16.f / 116) * (108.f / 841);
}

constexpr int32_t lab_entry(float intensity) {
  const float within = intensity < 0 ? 0 : intensity > 1 ? 1 : intensity;
  return static_cast<int32_t>(within * static_cast<float>(kLabGammas - 1) + 0.5f);
}

/// Entries of the table of gammas for red, green and blue.
struct LabEntries {
  int32_t red = 0, green = 0, blue = 0;
};
constexpr LabEntries lab_entries(float lightness, float a, float b) {
  const float root = (lightness * (100.f / 255) + 16) * (1.f / 116);
  const float y = lab_intensity(root);
  const float x = lab_intensity(root + (a - 128) * (1.f / 500)) * 0.950456f;
  const float z = lab_intensity(root - (b - 128) * (1.f / 200)) * 1.088754f;
  return {lab_entry(3.240479f * x - 1.53715f * y - 0.498535f * z),
          lab_entry(-0.969256f * x + 1.875991f * y + 0.041556f * z),
          lab_entry(0.055648f * x - 0.204043f * y + 1.057311f * z)};
}

constexpr void rgb_of(const LabTables& tables, const uint8_t* lab, uint8_t* rgb) {
  const LabEntries entries =
      lab_entries(static_cast<float>(lab[0]), static_cast<float>(lab[1]), static_cast<float>(lab[2]));
  rgb[0] = tables.gamma[entries.red];
  rgb[1] = tables.gamma[entries.green];
  rgb[2] = tables.gamma[entries.blue];
}

/// The host's tables, made at first use.
const LabTables& lab_tables();

}  // namespace penstock::kernels

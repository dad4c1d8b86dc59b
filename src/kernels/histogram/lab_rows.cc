#include "kernels/histogram/lab_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/histogram/lab_rows.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

// Tables are read a pixel at a time, into arrays; the compiler makes vectors of the loops between them.
constexpr int64_t kBlock = 256;

/// The entries of the table of roots for a block.
HWY_INLINE void find_roots(const int32_t (&linear)[3][kBlock], int32_t (&entries)[3][kBlock]) {
  for (int64_t i = 0; i < kBlock; ++i) {
    const LabRoots made = lab_roots(linear[0][i], linear[1][i], linear[2][i]);
    entries[0][i] = made.x, entries[1][i] = made.y, entries[2][i] = made.z;
  }
}

HWY_INLINE void find_lab(const int32_t (&roots)[3][kBlock], uint8_t (&lab)[3][kBlock]) {
  for (int64_t i = 0; i < kBlock; ++i) {
    lab[0][i] = lab_lightness(roots[1][i]);
    lab[1][i] = lab_a(roots[0][i], roots[1][i]);
    lab[2][i] = lab_b(roots[1][i], roots[2][i]);
  }
}

void to_lab(const LabTables& tables, const uint8_t* rgb, int64_t pixels, uint8_t* lab) {
  int32_t values[3][kBlock] = {}, entries[3][kBlock];
  uint8_t made[3][kBlock];
  for (int64_t first = 0; first < pixels; first += kBlock) {
    const int64_t count = std::min(kBlock, pixels - first);
    for (int64_t i = 0; i < count; ++i, rgb += 3)
      for (int c = 0; c < 3; ++c) values[c][i] = tables.linear[rgb[c]];
    find_roots(values, entries);
    for (int c = 0; c < 3; ++c)
      for (int64_t i = 0; i < count; ++i) values[c][i] = tables.root[entries[c][i]];
    find_lab(values, made);
    for (int c = 0; c < 3; ++c) std::copy_n(made[c], count, lab + c * pixels + first);
    if (count < kBlock) break;
  }
}

HWY_INLINE void find_gammas(const float (&lab)[3][kBlock], int32_t (&entries)[3][kBlock]) {
  for (int64_t i = 0; i < kBlock; ++i) {
    const LabEntries made = lab_entries(lab[0][i], lab[1][i], lab[2][i]);
    entries[0][i] = made.red, entries[1][i] = made.green, entries[2][i] = made.blue;
  }
}

void to_rgb(const LabTables& tables, const uint8_t* lab, int64_t pixels, uint8_t* rgb) {
  float values[3][kBlock] = {};
  int32_t entries[3][kBlock];
  for (int64_t first = 0; first < pixels; first += kBlock) {
    const int64_t count = std::min(kBlock, pixels - first);
    for (int c = 0; c < 3; ++c)
      for (int64_t i = 0; i < count; ++i) values[c][i] = static_cast<float>(lab[c * pixels + first + i]);
    find_gammas(values, entries);
    for (int64_t i = 0; i < count; ++i, rgb += 3)
      for (int c = 0; c < 3; ++c) rgb[c] = tables.gamma[entries[c][i]];
  }
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {
HWY_EXPORT(to_lab);
HWY_EXPORT(to_rgb);
}  // namespace

void rgb_to_lab(const LabTables& tables, const uint8_t* rgb, int64_t pixels, uint8_t* lab) {
  HWY_DYNAMIC_DISPATCH(to_lab)(tables, rgb, pixels, lab);
}

void lab_to_rgb(const LabTables& tables, const uint8_t* lab, int64_t pixels, uint8_t* rgb) {
  HWY_DYNAMIC_DISPATCH(to_rgb)(tables, lab, pixels, rgb);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

// Colours of a sensor whose elements see one each, in tiles of two by two: blue and red across from each other, green
// beside them. What an element does not see is the mean of the nearest that do.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

enum class DebayerMethod : int32_t {
  kBilinear,   ///< means of the two or four nearest
  kEdgeAware,  ///< green along the axis on which it changes less
  kGray,       ///< brightness of what bilinear sees, rounded once
  kVng,        ///< means along the directions in which the sensor changes least: vng.h; uint8 alone
};

struct DebayerJob {
  const void* in = nullptr;
  void* out = nullptr;  ///< red, green and blue interleaved, or gray
  DebayerMethod method = DebayerMethod::kBilinear;
  int32_t pictures = 1, rows = 0, columns = 0;
  int32_t blue_row = 0, blue_column = 0;  ///< 0 or 1: parities of rows and columns that see blue

  constexpr int channels() const { return method == DebayerMethod::kGray ? 1 : 3; }
};

struct DebayerParameters {
  bool some_vng = false;  ///< the method of some jobs; others may go with it
};

/// `most_elements` are those of the result. uint8 or uint16.
inline constexpr device::Kernel<DebayerJob, DebayerParameters> kDebayer{"debayer"};

/// The colours at an element that has neighbours on all sides. Sums are rounded up at their half.
/// @param step  elements to the next row
template <class T>
constexpr void debayer_element(const T* at, int64_t step, bool blue_row, bool blue_column, bool edge_aware, T* out) {
  const T* const up = at - step;
  const T* const down = at + step;
  const uint32_t sum_beside = uint32_t{at[-1]} + at[1], sum_above = uint32_t{*up} + *down;
  const auto beside = static_cast<T>((sum_beside + 1) >> 1), above = static_cast<T>((sum_above + 1) >> 1);
  if (blue_row != blue_column) {  // it sees green
    out[0] = blue_row ? above : beside;
    out[1] = *at;
    out[2] = blue_row ? beside : above;
    return;
  }
  const auto apart = [](uint32_t a, uint32_t b) { return a > b ? a - b : b - a; };
  const auto across = static_cast<T>((uint32_t{up[-1]} + up[1] + down[-1] + down[1] + 2) >> 2);
  out[0] = blue_row ? across : *at;
  out[1] = edge_aware ? (apart(at[-1], at[1]) > apart(*up, *down) ? above : beside)
                      : static_cast<T>((sum_beside + sum_above + 2) >> 2);
  out[2] = blue_row ? *at : across;
}

/// Shares of red, green and blue in brightness (ITU-R BT.601) in 14 bits; with the 2 bits of four neighbours, sums of
/// 16 bits a value fit into 32.
inline constexpr uint32_t kRedShare = 4899, kGreenShare = 9617, kBlueShare = 1868;
inline constexpr int kGrayBits = 16;

/// The brightness at an element that has neighbours on all sides.
template <class T>
constexpr T debayer_gray(const T* at, int64_t step, bool blue_row, bool blue_column) {
  const T* const up = at - step;
  const T* const down = at + step;
  const uint32_t beside = uint32_t{at[-1]} + at[1], above = uint32_t{*up} + *down, own = 4 * uint32_t{*at};
  const uint32_t in_row = blue_row ? kBlueShare : kRedShare, in_others = blue_row ? kRedShare : kBlueShare;
  const uint32_t sum = blue_row != blue_column ? own * kGreenShare + 2 * beside * in_row + 2 * above * in_others
                                               : own * in_row + (beside + above) * kGreenShare +
                                                     (uint32_t{up[-1]} + up[1] + down[-1] + down[1]) * in_others;
  return static_cast<T>((sum + (1U << (kGrayBits - 1))) >> kGrayBits);
}

/// What the job's method makes of an element, where it is not kVng.
template <class T>
constexpr void debayer_pixel(const DebayerJob& job, const T* at, bool blue_row, bool blue_column, T* out) {
  if (job.method == DebayerMethod::kGray)
    *out = debayer_gray(at, job.columns, blue_row, blue_column);
  else
    debayer_element(at, job.columns, blue_row, blue_column, job.method == DebayerMethod::kEdgeAware, out);
}

/// Elements of the border take the colours of the nearest that has neighbours on all sides.
constexpr int32_t with_neighbours(int32_t i, int32_t extent) { return i < 1 ? 1 : i > extent - 2 ? extent - 2 : i; }

/// The same on the CPU. @throws TypeError for other types, of which kVng takes uint8 alone
void debayer(const DebayerJob& job, DType dtype);

}  // namespace penstock::kernels

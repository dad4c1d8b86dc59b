// The method of Variable Number of Gradients for single elements: what GPUs do, and CPUs where vectors have no room.
#pragma once

#include <cstdint>

#include "kernels/debayer/debayer.h"
#include "kernels/neighbourhood/window.h"

namespace penstock::kernels {

#include "kernels/debayer/vng_body.h"

/// OpenCV has colours of pictures with fewer rows or columns from the bilinear method.
inline constexpr int64_t kLeastOfVng = 8;

/// The columns of a row that OpenCV calculates in vectors of eight. One seventh is rounded otherwise in the rest.
struct EightsOfRow {
  constexpr EightsOfRow(int32_t columns, bool first_is_green) : begin(first_is_green ? 1 : 0), end(begin) {
    if (columns - 8 >= begin) end += (columns - begin) / 8 * 8;
  }
  constexpr bool hold(int32_t x) const { return x >= begin && x < end; }

  int32_t begin, end;  ///< `begin` does not see green
};

/// An element and those around it; where these lie outside, they are mirrored about the outermost.
struct VngElement {
  using V = int32_t;

  constexpr VngElement(const DebayerJob& job, const uint8_t* sensor, int32_t y, int32_t x, bool in_eights)
      : sensor_(sensor), seventh_(in_eights ? 0.5F / 7 : 0.0714286F) {
    for (int32_t i = 0; i < 5; ++i) {
      rows_[i] = int64_t{job.columns} * border_index(Border::kReflect101, y + i - 2, job.rows);
      columns_[i] = border_index(Border::kReflect101, x + i - 2, job.columns);
    }
  }
  constexpr V at(int y, int x) const { return sensor_[rows_[y + 2] + columns_[x + 2]]; }

  static constexpr V number(V a) { return a; }
  static constexpr V add(V a, V b) { return a + b; }
  static constexpr V sub(V a, V b) { return a - b; }
  static constexpr V min(V a, V b) { return a < b ? a : b; }
  static constexpr V max(V a, V b) { return a < b ? b : a; }
  static constexpr V apart(V a, V b) { return a < b ? b - a : a - b; }
  static constexpr V half(V a) { return a >> 1; }
  static constexpr V below(V a, V b) { return a < b ? -1 : 0; }
  static constexpr V both(V a, V b) { return a & b; }
  constexpr V half_mean(V sum, V count) const {
    constexpr float kWhole = 12582912.0F;  // added to floats this size, ones are the last bits: ties go to even numbers
    const float mean = static_cast<float>(sum) * (count == 7 ? seventh_ : 0.5F / static_cast<float>(count));
    return static_cast<V>((mean + kWhole) - kWhole);
  }

 private:
  const uint8_t* sensor_;
  float seventh_;
  int64_t rows_[5]{};
  int32_t columns_[5]{};
};

/// The colours at an element of a sensor that has at least kLeastOfVng rows and columns.
constexpr void vng_pixel(const DebayerJob& job, const uint8_t* sensor, int32_t y, int32_t x, uint8_t* out) {
  const bool blue_row = (y & 1) == job.blue_row, first_is_green = blue_row != (job.blue_column == 0);
  const VngElement element(job, sensor, y, x, EightsOfRow(job.columns, first_is_green).hold(x));
  int32_t in_row = element.at(0, 0), green = in_row, other = 0;
  if (blue_row != ((x & 1) == job.blue_column)) {
    Vng<true, VngElement> found{element};
    found.find();
    in_row = found.first, other = found.second;
  } else {
    Vng<false, VngElement> found{element};
    found.find();
    green = found.first, other = found.second;
  }
  out[0] = static_cast<uint8_t>(blue_row ? other : in_row);
  out[1] = static_cast<uint8_t>(green);
  out[2] = static_cast<uint8_t>(blue_row ? in_row : other);
}

/// The colours of the job's pictures, on the CPU. uint8.
void vng(const DebayerJob& job);

}  // namespace penstock::kernels

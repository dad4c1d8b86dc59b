// Regions of pictures on a canvas, one over the other, as the host describes them and the GPU's kernel reads them.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

/// A region. Distances are in elements: a pixel has one for each channel.
struct PastePiece {
  const void* from = nullptr;  ///< the region's first element in the first frame
  int64_t row_step = 0, frame_step = 0;
  int64_t y = 0, rows = 0;      ///< on the canvas
  int64_t x = 0, elements = 0;  ///< likewise, along a row

  constexpr bool has_row(int64_t row) const { return row >= y && row < y + rows; }
  /// The distance of what lies on the canvas there, from the region's first element.
  constexpr int64_t offset(int64_t frame, int64_t row, int64_t element) const {
    return frame * frame_step + (row - y) * row_step + (element - x);
  }
};

struct PasteJob {
  void* out = nullptr;
  const PastePiece* pieces = nullptr;  ///< later ones lie above; inside of the canvas
  int32_t count = 0;
  int32_t frames = 1;
  int64_t rows = 0, row_elements = 0;

  constexpr int64_t elements() const { return frames * rows * row_elements; }
};

struct PasteParameters {
  int32_t element_bytes = 1;  ///< of pictures and canvases alike: 1, 2, 4 or 8
};

/// What no region covers is 0. `most_elements` are those of a canvas.
inline constexpr device::Kernel<PasteJob, PasteParameters> kPaste{"paste"};

}  // namespace penstock::kernels

// The rows of one component that are in work: those of a row of MCUs more than are written at once, since interpolation
// looks across their border.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/jpeg/frame.h"
#include "codec/jpeg/upsample.h"

namespace penstock::codec::jpeg {

class Band {
 public:
  /// @param rows, columns of the picture that are wanted
  /// @param mcu_rows rows of MCUs that are written at once
  void prepare(const Plane& plane, Range rows, Range columns, int mcu_rows);

  const Plane& plane() const { return plane_; }
  Range needed_rows() const { return rows_; }
  Range needed_columns() const { return columns_; }

  /// Where to write the samples of a block; rows are stride() apart.
  uint8_t* block(int block_row, int block_column) {
    return row(block_row * kSide) + (block_column - first_block_) * kSide;
  }
  size_t stride() const { return stride_; }

  /// To be called when all blocks of a row of blocks are written: continues the picture's edge samples outwards.
  void close(int block_row);

  /// Row `y` of the picture, from the first wanted column on; followed by kRowSlack readable bytes. Stays until the
  /// next call.
  const uint8_t* picture_row(int y) { return is_whole() ? samples(y, first_sample_) : made_row(y); }
  /// Rows of the picture, one behind the other.
  void copy_rows(Range rows, uint8_t* out);

  /// Gives memory back that an unusually large picture took.
  void trim();

 private:
  uint8_t* row(int y) { return samples_.data() + static_cast<size_t>(y & (held_rows_ - 1)) * stride_ + kRowSlack; }
  const uint8_t* samples(int y, int column) {
    return row(std::clamp(y, 0, plane_.height - 1)) + (column - first_block_ * kSide);
  }
  const uint8_t* made_row(int y);
  /// There is a sample for each pixel.
  bool is_whole() const { return plane_.upsampling == Upsampling::kNone && plane_.v_ratio == 1; }
  void repeat(const uint8_t* from);

  Plane plane_;
  Range picture_columns_, rows_, columns_;
  int first_block_ = 0, held_rows_ = 1;  // a power of two: divisions were 5 % of a small picture's time
  int first_sample_ = 0;                 // of a row, for the first wanted column
  size_t stride_ = 0;
  std::vector<uint8_t> samples_, made_;
};

}  // namespace penstock::codec::jpeg

#include "codec/jpeg/band.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/jpeg/idct.h"
#include "codec/scratch.h"

namespace penstock::codec::jpeg {

void Band::prepare(const Plane& plane, Range rows, Range columns, int mcu_rows) {
  static_assert(kRowSlack >= kBlockSlack);
  plane_ = plane;
  picture_columns_ = columns;
  rows_ = needed(rows, plane.v_ratio, plane.triangle_y(), plane.height);
  columns_ = needed(columns, plane.h_ratio, plane.triangle_x(), plane.width);
  const Range blocks = blocks_of(columns_);
  first_block_ = blocks.begin;
  first_sample_ = columns.begin / plane.h_ratio;
  held_rows_ = static_cast<int>(std::bit_ceil(static_cast<unsigned>((mcu_rows + 1) * kSide * plane.block_rows)));
  // In front of a row there is room for the sample before it, behind it for what vectors read and write beyond.
  stride_ = static_cast<size_t>((blocks.end - blocks.begin) * kSide) + 3 * kRowSlack;
  samples_.resize(std::max(samples_.size(), static_cast<size_t>(held_rows_) * stride_));
  const auto width = static_cast<size_t>(columns.end - columns.begin);
  made_.resize(std::max(made_.size(), width + 4 * kRowSlack));
}

void Band::close(int block_row) {
  if (!plane_.triangle_x()) return;
  const int left = -first_block_ * kSide;
  for (int y = block_row * kSide; y < (block_row + 1) * kSide; ++y) {
    uint8_t* samples = row(y);
    if (columns_.begin == 0) samples[-1] = samples[0];
    if (columns_.end == plane_.width) samples[left + plane_.width] = samples[left + plane_.width - 1];
  }
}

void Band::copy_rows(Range rows, uint8_t* out) {
  // A call of memcpy, and reading members anew after it, cost a row of 28 bytes more than its bytes.
  constexpr size_t kPiece = 16, kShort = 64;
  const auto width = static_cast<size_t>(picture_columns_.end - picture_columns_.begin), stride = stride_;
  if (!is_whole() || width < kPiece || width > kShort) {
    for (int y = rows.begin; y < rows.end; ++y, out += width) std::memcpy(out, picture_row(y), width);
    return;
  }
  const int last = held_rows_ - 1;
  const uint8_t* first = samples(0, first_sample_);
  for (int y = rows.begin; y < rows.end; ++y, out += width) {
    const uint8_t* row = first + static_cast<size_t>(y & last) * stride;
    for (size_t i = 0; i + kPiece < width; i += kPiece) std::memcpy(out + i, row + i, kPiece);
    std::memcpy(out + width - kPiece, row + width - kPiece, kPiece);
  }
}

void Band::repeat(const uint8_t* from) {
  int phase = picture_columns_.begin % plane_.h_ratio;
  for (int x = picture_columns_.begin; x < picture_columns_.end; ++x) {
    made_[static_cast<size_t>(x - picture_columns_.begin)] = *from;
    if (++phase == plane_.h_ratio) phase = 0, ++from;
  }
}

const uint8_t* Band::made_row(int y) {
  const int near = y / plane_.v_ratio;
  const uint8_t* here = samples(near, first_sample_);
  const bool odd = y % 2 != 0;
  const int begin = picture_columns_.begin, far = odd ? near + 1 : near - 1;
  // Pairs of results: the first of them may not be wanted.
  const auto pairs = static_cast<size_t>((picture_columns_.end + 1) / 2 - begin / 2);
  switch (plane_.upsampling) {
    case Upsampling::kNone:
      return here;
    case Upsampling::kRepeat:
      repeat(here);
      return made_.data();
    case Upsampling::kTriangleY:
      triangle_rows(here, samples(far, first_sample_), static_cast<size_t>(picture_columns_.end - begin), odd,
                    made_.data());
      return made_.data();
    case Upsampling::kTriangleX:
      triangle_columns(here, pairs, made_.data());
      break;
    case Upsampling::kTriangleXY:
      triangle_both(here, samples(far, first_sample_), pairs, made_.data());
      break;
  }
  return made_.data() + begin % 2;
}

void Band::trim() {
  codec::trim(samples_);
  codec::trim(made_);
}

}  // namespace penstock::codec::jpeg

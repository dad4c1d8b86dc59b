// What the headers of a sequential JPEG file say, and the geometry that follows from it. Nothing here owns memory or
// throws, so that a CUDA compiler can take it as it is (--expt-relaxed-constexpr).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/jpeg/huffman.h"

namespace penstock::codec::jpeg {

/// Samples of a block's side.
inline constexpr int kSide = 8;
inline constexpr int kMaxComponents = 4;
/// The standard allows no more blocks in an MCU of several components.
inline constexpr int kMaxMcuBlocks = 10;

/// What the stored components are.
enum class Colour { kGray, kYCbCr, kRgb, kCmyk, kYcck };

struct Component {
  uint8_t id = 0;
  int h = 1, v = 1;  ///< sampling factors
  int quantisation = 0, dc = 0, ac = 0;
};

struct Range {
  int begin = 0, end = 0;

  constexpr bool contains(int i) const { return i >= begin && i < end; }
};

struct Frame {
  int height = 0, width = 0;
  int count = 0;  ///< components
  std::array<Component, kMaxComponents> components{};
  int h_max = 1, v_max = 1;
  int restart_interval = 0;  ///< in MCUs; 0: none
  Colour colour = Colour::kGray;
  bool adobe = false;  ///< an Adobe segment was seen: inks are stored inverted

  constexpr int mcu_height() const { return kSide * v_max; }
  constexpr int mcu_width() const { return kSide * h_max; }
  constexpr int mcu_rows() const { return (height + mcu_height() - 1) / mcu_height(); }
  constexpr int mcu_columns() const { return (width + mcu_width() - 1) / mcu_width(); }
  constexpr int mcu_blocks() const {
    int sum = 0;
    for (int c = 0; c < count; ++c) sum += components[c].h * components[c].v;
    return sum;
  }
  constexpr int64_t mcus() const { return int64_t{mcu_rows()} * mcu_columns(); }
  /// MCUs between two restart markers, and how many such segments there are.
  constexpr int64_t segment_mcus() const { return restart_interval > 0 ? restart_interval : mcus(); }
  constexpr size_t segments() const { return static_cast<size_t>((mcus() + segment_mcus() - 1) / segment_mcus()); }
};

/// How a component's samples become as many as the picture has; libjpeg's choices (fancy upsampling).
enum class Upsampling {
  kNone,        ///< a sample for each column; rows are repeated where they are fewer
  kRepeat,      ///< samples are repeated
  kTriangleX,   ///< twice the columns, weights 3/4 and 1/4
  kTriangleY,   ///< twice the rows
  kTriangleXY,  ///< both
};

/// A component as a plane of samples.
struct Plane {
  Upsampling upsampling = Upsampling::kNone;
  int h_ratio = 1, v_ratio = 1;    ///< columns and rows of the picture that share a sample
  int height = 0, width = 0;       ///< samples that count; blocks may hold more
  int block_rows = 1, blocks = 1;  ///< of an MCU: rows of blocks, blocks in a row

  constexpr bool triangle_x() const {
    return upsampling == Upsampling::kTriangleX || upsampling == Upsampling::kTriangleXY;
  }
  constexpr bool triangle_y() const {
    return upsampling == Upsampling::kTriangleY || upsampling == Upsampling::kTriangleXY;
  }
};

/// Only where the factors of all components divide the largest ones.
constexpr Plane plane_of(const Frame& frame, int component) {
  const Component& c = frame.components[component];
  const int h = frame.h_max / c.h, v = frame.v_max / c.v;
  const int height = (frame.height * c.v + frame.v_max - 1) / frame.v_max;
  const int width = (frame.width * c.h + frame.h_max - 1) / frame.h_max;
  // libjpeg interpolates columns only from three samples on.
  Upsampling kind = h == 1 ? Upsampling::kNone : Upsampling::kRepeat;
  if (h == 2 && v == 1 && width > 2) kind = Upsampling::kTriangleX;
  if (h == 2 && v == 2 && width > 2) kind = Upsampling::kTriangleXY;
  if (h == 1 && v == 2) kind = Upsampling::kTriangleY;
  return {kind, h, v, height, width, c.v, c.h};
}

/// The samples that the picture's rows (or columns) `wanted` are made from, along one axis.
constexpr Range needed(Range wanted, int ratio, bool triangle, int extent) {
  if (!triangle) return {wanted.begin / ratio, std::min((wanted.end - 1) / ratio + 1, extent)};
  return {std::max((wanted.begin - 1) >> 1, 0), std::min(wanted.end / 2 + 1, extent)};
}

/// Blocks that hold the samples.
constexpr Range blocks_of(Range samples) { return {samples.begin / kSide, (samples.end + kSide - 1) / kSide}; }

/// MCUs that hold blocks, along one axis.
constexpr Range mcus_of(Range blocks, int blocks_a_mcu) {
  return {blocks.begin / blocks_a_mcu, (blocks.end + blocks_a_mcu - 1) / blocks_a_mcu};
}

/// The smallest range that holds both; an empty one adds nothing.
constexpr Range joined(Range a, Range b) {
  return a.begin == a.end ? b : Range{std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// All that comes before the entropy-coded data.
struct Headers {
  Frame frame;
  std::array<std::array<uint16_t, kSide * kSide>, 4> quantisation{};  ///< in natural order
  std::array<HuffmanCode, 4> dc{}, ac{};
  size_t scan_begin = 0;     ///< where the entropy-coded data begins
  bool more_follow = false;  ///< pictures behind this one, as a segment says (MPF: previews, gain maps of Ultra HDR)
};

}  // namespace penstock::codec::jpeg

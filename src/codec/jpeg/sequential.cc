#include "codec/jpeg/sequential.h"

#include <algorithm>
#include <cstring>

#include "codec/jpeg/colour.h"
#include "codec/jpeg/headers.h"
#include "codec/jpeg/idct.h"
#include "codec/scratch.h"

namespace penstock::codec::jpeg {
namespace {

// Blocks at a time, nearly. Their coefficients, 6 KB, leave room for the tables in the L1 cache: decoding a whole row
// of MCUs before transforming it is 4 % slower.
constexpr int kChunkBlocks = 48;
constexpr int kMaxChunk = kChunkBlocks;  // MCUs
constexpr size_t kBlockSize = size_t{kSide} * kSide;
// Larger headers, those with thumbnails or colour profiles, come with pictures beside which reading them is nothing.
constexpr size_t kKeptHeaders = 4096;

// MCUs at a time: a multiple of what the transform takes at once.
int chunk_of(const Frame& frame) { return std::max(kChunkBlocks / frame.mcu_blocks() / 4 * 4, 4); }

}  // namespace

bool SequentialDecoder::decode(std::span<const uint8_t> bytes, const Info& info, ImageType type, const Region& region,
                               uint8_t* out, Checkpoints* checkpoints) {
  if (!take_headers(bytes)) return false;
  const Frame& frame = headers_.frame;
  if (frame.height != info.height || frame.width != info.width || frame.count != info.channels) return false;
  if (frame.colour == Colour::kRgb && type == ImageType::kGray) return false;
  type_ = type;
  region_ = region;
  out_ = out;
  scan_ = bytes.subspan(headers_.scan_begin);
  prepare();
  // Places save nothing where everything is wanted.
  const bool jumps = mcu_rows_.begin > 0 || mcu_columns_.begin > 0 || mcu_columns_.end < frame.mcu_columns();
  const bool done = checkpoints && jumps ? decode_with(*checkpoints, key_of(bytes)) : decode_scan();
  trim();
  return done;
}

bool SequentialDecoder::take_headers(std::span<const uint8_t> bytes) {
  // Files of one encoder and one size begin alike, and what the bytes up to the scan say depends on nothing else.
  if (!header_bytes_.empty() && bytes.size() >= header_bytes_.size() &&
      std::memcmp(bytes.data(), header_bytes_.data(), header_bytes_.size()) == 0)
    return true;
  header_bytes_.clear();
  if (!read_headers(bytes, headers_) || !entropy_.prepare(headers_)) return false;
  if (headers_.scan_begin <= kKeptHeaders) header_bytes_.assign(bytes.begin(), bytes.begin() + headers_.scan_begin);
  return true;
}

void SequentialDecoder::prepare() {
  const Frame& frame = headers_.frame;
  const bool luma_only = type_ == ImageType::kGray && frame.colour == Colour::kYCbCr;
  used_ = luma_only ? 1 : frame.count;
  const Range rows{static_cast<int>(region_.y0), static_cast<int>(region_.y0 + region_.height)};
  const Range columns{static_cast<int>(region_.x0), static_cast<int>(region_.x0 + region_.width)};
  // Rows that follow each other in the file as they do in the picture and are small: to set out for each of its four
  // rows of MCUs was a fifth of a small picture's decoding.
  const int chunk = chunk_of(frame);
  const bool narrow = region_.width == frame.width;
  rows_at_once_ = narrow ? std::max(chunk / frame.mcu_columns(), 1) : 1;
  lag_ = 0;
  mcu_rows_ = mcu_columns_ = {};
  for (int c = 0; c < used_; ++c) {
    Band& band = bands_[static_cast<size_t>(c)];
    const Plane plane = plane_of(frame, c);
    band.prepare(plane, rows, columns, rows_at_once_);
    if (plane.triangle_y()) lag_ = 1;
    mcu_rows_ = joined(mcu_rows_, mcus_of(blocks_of(band.needed_rows()), plane.block_rows));
    mcu_columns_ = joined(mcu_columns_, mcus_of(blocks_of(band.needed_columns()), plane.blocks));
  }
  coefficients_.resize(static_cast<size_t>(chunk * frame.mcu_blocks()) * kBlockSize + EntropyDecoder::kSpill);
}

bool SequentialDecoder::decode_scan() {
  places_ = {};
  return bits_.take(scan_, headers_.frame.segments()) && entropy_.start(bits_) && decode_rows();
}

bool SequentialDecoder::decode_rows() {
  const Frame& frame = headers_.frame;
  next_row_ = static_cast<int>(region_.y0);
  next_out_ = out_;
  const int end = static_cast<int>(region_.y0 + region_.height), chunk = chunk_of(frame);
  for (Range rows{mcu_rows_.begin, mcu_rows_.begin}; rows.end < mcu_rows_.end; rows.begin = rows.end) {
    rows.end = std::min(rows.begin + rows_at_once_, mcu_rows_.end);
    if (!go_to(rows.begin)) return false;
    for (int column = mcu_columns_.begin; column < mcu_columns_.end; column += chunk)
      if (!decode_mcus(rows, {column, std::min(column + chunk, mcu_columns_.end)})) return false;
    for (int c = 0; c < used_; ++c) {
      Band& band = bands_[static_cast<size_t>(c)];
      const int block_rows = band.plane().block_rows;
      for (int i = rows.begin * block_rows; i < rows.end * block_rows; ++i) band.close(i);
    }
    write_rows(rows.end == mcu_rows_.end ? end : std::min(end, rows.end * frame.mcu_height() - lag_));
  }
  return true;
}

bool SequentialDecoder::decode_mcus(Range rows, Range columns) {
  const int count = (rows.end - rows.begin) * (columns.end - columns.begin);
  std::fill_n(coefficients_.data(), static_cast<size_t>(count * headers_.frame.mcu_blocks()) * kBlockSize, int16_t{0});
  if (!entropy_.read(count, coefficients_.data())) return false;
  transform(rows, columns);
  return true;
}

void SequentialDecoder::transform(Range mcu_rows, Range mcus) {
  const size_t mcu_size = static_cast<size_t>(headers_.frame.mcu_blocks()) * kBlockSize;
  const size_t row_size = static_cast<size_t>(mcus.end - mcus.begin) * mcu_size;
  std::array<const int16_t*, kMaxChunk> blocks;
  const int16_t* first = coefficients_.data();  // of the component's row of blocks, in the first MCU
  for (int c = 0; c < used_; ++c) {
    Band& band = bands_[static_cast<size_t>(c)];
    const int across = band.plane().blocks, down = band.plane().block_rows;
    const Range wanted = blocks_of(band.needed_columns()), wanted_rows = blocks_of(band.needed_rows());
    const Range here{std::max(wanted.begin, mcus.begin * across), std::min(wanted.end, mcus.end * across)};
    const auto* table =
        headers_.quantisation[static_cast<size_t>(headers_.frame.components[static_cast<size_t>(c)].quantisation)]
            .data();
    for (int i = 0; i < down; ++i, first += static_cast<size_t>(across) * kBlockSize) {
      const int16_t* row = first;
      for (int mcu_row = mcu_rows.begin; mcu_row < mcu_rows.end; ++mcu_row, row += row_size) {
        const int block_row = mcu_row * down + i;
        if (!wanted_rows.contains(block_row) || here.begin >= here.end) continue;
        size_t count = 0;
        const int16_t* mcu = row;
        for (int block = mcus.begin * across; block < here.end; mcu += mcu_size)
          for (int k = 0; k < across; ++k, ++block)
            if (here.contains(block)) blocks[count++] = mcu + static_cast<size_t>(k) * kBlockSize;
        inverse_dct(blocks.data(), count, table, band.block(block_row, here.begin), band.stride());
      }
    }
  }
}

void SequentialDecoder::write_rows(int end) {
  if (end <= next_row_) return;
  if (used_ == 1 && (type_ == ImageType::kGray || type_ == ImageType::kAnyData)) {
    bands_[0].copy_rows({next_row_, end}, next_out_);
    next_out_ += region_.width * (end - next_row_);
    next_row_ = end;
    return;
  }
  for (; next_row_ < end; ++next_row_) write_row(next_row_);
}

void SequentialDecoder::write_row(int y) {
  std::array<const uint8_t*, kMaxComponents> rows{};
  for (int c = 0; c < used_; ++c) rows[static_cast<size_t>(c)] = bands_[static_cast<size_t>(c)].picture_row(y);
  const auto width = static_cast<size_t>(region_.width);
  const bool bgr = type_ == ImageType::kBGR;
  const Frame& frame = headers_.frame;
  if (used_ == 4) {
    const bool to_rgb = type_ != ImageType::kAnyData;
    inks_.resize(4 * width);
    uint8_t* inks = to_rgb ? inks_.data() : next_out_;
    frame.colour == Colour::kYcck ? ycck_row(rows.data(), width, inks) : cmyk_row(rows.data(), width, inks);
    if (to_rgb) cmyk_to_rgb(inks, width, frame.adobe, next_out_);
    next_out_ += (to_rgb ? 3 : 4) * width;
  } else if (used_ == 3) {
    if (frame.colour == Colour::kYCbCr)
      ycc_row(rows[0], rows[1], rows[2], width, bgr, next_out_);
    else
      interleave_row(rows[bgr ? 2 : 0], rows[1], rows[bgr ? 0 : 2], width, next_out_);
    next_out_ += 3 * width;
  } else {
    interleave_row(rows[0], rows[0], rows[0], width, next_out_);
    next_out_ += 3 * width;
  }
}

void SequentialDecoder::trim() {
  bits_.trim();
  for (Band& band : bands_) band.trim();
  codec::trim(inks_);
}

}  // namespace penstock::codec::jpeg

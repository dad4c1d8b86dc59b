#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/jpeg/colour.h"
#include "codec/jpeg/transform.h"
#include "codec/jpeg/upsample.h"
#include "kernels/jpeg_distortion/job.h"
#include "kernels/jpeg_distortion/samples.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/jpeg_distortion/jpeg_distortion.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

#ifndef PENSTOCK_JPEG_DISTORTION_TABLES
#define PENSTOCK_JPEG_DISTORTION_TABLES
namespace penstock::kernels {
namespace {

/// Steps, and what to multiply with in 16 bits to divide by them: (m * inverse >> 15) * power >> 15.
struct alignas(16) StepTable {
  explicit StepTable(const uint16_t (&of)[kJpegCoefficients]) {
    for (size_t i = 0; i < kJpegCoefficients; ++i) {
      const uint32_t step = of[i];
      const int bits = static_cast<int>(std::bit_width(step)) - 1;
      steps[i] = of[i];
      inverses[i] = static_cast<uint16_t>(((1U << (15 + bits)) + step - 1) / step);
      powers[i] = static_cast<uint16_t>(1U << (15 - bits));
    }
  }
  uint16_t steps[kJpegCoefficients], inverses[kJpegCoefficients], powers[kJpegCoefficients];
};

/// Rows of interleaved colours to rows of samples; whole vectors are written.
struct YccRows {
  uint8_t *y, *cb, *cr;
};

}  // namespace
}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using codec::jpeg::kConstantBits;
using codec::jpeg::kFirstShift;
using codec::jpeg::kForwardShift;
using codec::jpeg::kSecondShift;

#if HWY_TARGET == HWY_SCALAR

void to_ycc(const uint8_t* rgb, int64_t n, YccRows to) {
  for (int64_t i = 0; i < n; ++i) {
    const Ycc ycc = ycc_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
    to.y[i] = static_cast<uint8_t>(ycc.y);
    to.cb[i] = static_cast<uint8_t>(ycc.cb);
    to.cr[i] = static_cast<uint8_t>(ycc.cr);
  }
}

void distort_blocks(const StepTable& table, int64_t columns, int64_t stride, uint8_t* samples) {
  using codec::jpeg::forward_pass, codec::jpeg::inverse_pass;
  constexpr SampleOps ops;
  for (int64_t x = 0; x < columns; x += kJpegSide, samples += kJpegSide) {
    int rows[8][8];
    for (int i = 0; i < 8; ++i) {
      for (int k = 0; k < 8; ++k) rows[i][k] = samples[i * stride + k] - 128;
      forward_pass<kFirstShift>(ops, rows[i]);
    }
    for (int k = 0; k < 8; ++k) {
      int column[8];
      for (int i = 0; i < 8; ++i) column[i] = rows[i][k];
      forward_pass<kForwardShift>(ops, column);
      for (int i = 0; i < 8; ++i) column[i] = JpegStep::of(table.steps[8 * i + k]).nearest(column[i]);
      inverse_pass<kFirstShift>(ops, column);
      for (int i = 0; i < 8; ++i) rows[i][k] = column[i];
    }
    for (int i = 0; i < 8; ++i) {
      inverse_pass<kSecondShift>(ops, rows[i]);
      for (int k = 0; k < 8; ++k) samples[i * stride + k] = static_cast<uint8_t>(std::clamp(rows[i][k] + 128, 0, 255));
    }
  }
}

void halve_rows(const uint8_t* top, const uint8_t* bottom, int64_t n, uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t k = 2 * i;
    out[i] = static_cast<uint8_t>(chroma_of(top[k] + top[k + 1] + bottom[k] + bottom[k + 1], static_cast<int>(i & 1)));
  }
}

#else

#include "codec/jpeg/vector_passes.inc"

// Sixteen pixels at a time: interleaving bytes over wider registers costs more than it saves.
using Words = hn::CappedTag<int16_t, 16>;
using Bytes = hn::Rebind<uint8_t, Words>;

/// ycc_of() in pairs of products; factors that do not fit into 16 bits are taken apart.
HWY_INLINE void vector_to_ycc(const uint8_t* rgb, int64_t at, YccRows to) {
  const Words d;
  const Bytes bytes;
  const VectorOps<Words> ops;
  hn::Vec<Bytes> red, green, blue;
  hn::LoadInterleaved3(bytes, rgb, red, green, blue);
  const auto r = hn::PromoteTo(d, red), g = hn::PromoteTo(d, green), b = hn::PromoteTo(d, blue);
  const auto one = hn::Set(d, 1), middle = hn::Set(d, 128);
  const auto y = ops.narrow<16>(ops.sum(ops.pair<19595, 38470 - 65536>(r, g), ops.pair<7471, 0>(b, one)));
  const auto cb = ops.narrow<16>(ops.sum(ops.pair<-11059, -21709>(r, g), ops.pair<16384, -1>(hn::Add(b, b), one)));
  const auto cr = ops.narrow<16>(ops.sum(ops.pair<-27439, -5329>(g, b), ops.pair<16384, -1>(hn::Add(r, r), one)));
  hn::StoreU(hn::DemoteTo(bytes, hn::Add(y, g)), bytes, to.y + at);
  hn::StoreU(hn::DemoteTo(bytes, hn::Add(cb, middle)), bytes, to.cb + at);
  hn::StoreU(hn::DemoteTo(bytes, hn::Add(cr, middle)), bytes, to.cr + at);
}

void to_ycc(const uint8_t* rgb, int64_t n, YccRows to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Words()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) vector_to_ycc(rgb + 3 * i, i, to);
  if (i == n) return;
  uint8_t last[3 * hn::MaxLanes(Words())] = {};
  std::memcpy(last, rgb + 3 * i, static_cast<size_t>(3 * (n - i)));
  vector_to_ycc(last, i, to);
}

// A row of a block is 128 bits; a vector holds the same row of one, two or four blocks.
using Row = hn::CappedTag<int16_t, 32>;

/// JpegStep::nearest() in 16 bits.
HWY_INLINE hn::Vec<Row> nearest(hn::Vec<Row> transformed, const StepTable& table, size_t row) {
  const Row d;
  const hn::RebindToUnsigned<Row> u;
  const auto steps = hn::LoadDup128(u, table.steps + 8 * row);
  const auto half = hn::ShiftLeft<2>(steps);
  const auto eighth = hn::ShiftRight<3>(hn::Add(hn::BitCast(u, hn::Abs(transformed)), half));
  const auto part = hn::MulHigh(hn::Add(eighth, eighth), hn::LoadDup128(u, table.inverses + 8 * row));
  const auto whole = hn::MulHigh(hn::Add(part, part), hn::LoadDup128(u, table.powers + 8 * row));
  const auto multiple = hn::Mul(hn::BitCast(d, whole), hn::BitCast(d, steps));
  return hn::IfThenElse(hn::Lt(transformed, hn::Zero(d)), hn::Neg(multiple), multiple);
}

void distort_blocks(const StepTable& table, int64_t columns, int64_t stride, uint8_t* samples) {
  const Row d;
  const hn::Rebind<uint8_t, Row> bytes;
  const VectorOps<Row> ops;
  const auto middle = hn::Set(d, 128);
  for (int64_t at = 0; at < columns; at += static_cast<int64_t>(hn::Lanes(d))) {
    hn::Vec<Row> x[8];
    for (int i = 0; i < 8; ++i) x[i] = hn::Sub(hn::PromoteTo(d, hn::LoadU(bytes, samples + i * stride + at)), middle);
    Transpose(d, x);
    HWY_NAMESPACE::forward_pass<kFirstShift>(ops, x);
    Transpose(d, x);
    HWY_NAMESPACE::forward_pass<kForwardShift>(ops, x);
    for (size_t i = 0; i < 8; ++i) x[i] = nearest(x[i], table, i);
    HWY_NAMESPACE::inverse_pass<kFirstShift>(ops, x);
    Transpose(d, x);
    HWY_NAMESPACE::inverse_pass<kSecondShift>(ops, x);
    Transpose(d, x);
    for (int i = 0; i < 8; ++i)
      hn::StoreU(hn::DemoteTo(bytes, hn::Add(x[i], middle)), bytes, samples + i * stride + at);
  }
}

/// Two rows of chroma to one of half as many samples; chroma_of().
void halve_rows(const uint8_t* top, const uint8_t* bottom, int64_t n, uint8_t* out) {
  const hn::CappedTag<uint16_t, 16> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const hn::Repartition<uint8_t, decltype(d)> pairs;
  const auto low = hn::Set(d, 255), one = hn::Set(d, 1);
  const auto rounding = hn::Add(one, hn::And(hn::Iota(d, 0), one));
  const auto sums = [&](const uint8_t* row) HWY_ATTR {
    const auto pair = hn::BitCast(d, hn::LoadU(pairs, row));
    return hn::Add(hn::And(pair, low), hn::ShiftRight<8>(pair));
  };
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto sum = hn::Add(hn::Add(sums(top + 2 * i), sums(bottom + 2 * i)), rounding);
    hn::StoreU(hn::TruncateTo(bytes, hn::ShiftRight<2>(sum)), bytes, out + i);
  }
}

#endif  // HWY_SCALAR

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(to_ycc);
HWY_EXPORT(distort_blocks);
HWY_EXPORT(halve_rows);

/// One picture, sixteen rows at a time: a strip of samples is written as pixels when the next one is made, whose chroma
/// its last row needs.
class Distortion {
 public:
  Distortion(const JpegDistortionJob& job, int64_t picture)
      : in_(static_cast<const uint8_t*>(job.in) + picture * job.rows * job.columns * 3),
        out_(static_cast<uint8_t*>(job.out) + picture * job.rows * job.columns * 3),
        planes_(job.planes),
        layout_(job.layout()),
        rows_(job.rows),
        columns_(job.columns),
        luma_(job.steps[0]),
        chroma_(job.steps[1]) {}

  void run() const {
    for (int64_t y = 0; y < rows_; y += kStrip) {
      make_strip(y);
      if (y > 0) show(y - kStrip, y);
    }
    show((rows_ - 1) / kStrip * kStrip, rows_);
  }

 private:
  static constexpr int64_t kStrip = 16;

  uint8_t* row(int which) const { return planes_ + layout_.row(which); }
  int64_t halved_rows() const { return (rows_ + 1) / 2; }
  int64_t halved_columns() const { return (columns_ + 1) / 2; }

  /// The samples that the reader of a file would get.
  void make_strip(int64_t first) const {
    const int64_t blocks_y = (columns_ + 7) / 8 * 8, blocks_c = (columns_ + 15) / 16 * 8;
    for (int64_t y = first; y < first + kStrip; y += 2) make_two_rows(y, blocks_y, 2 * blocks_c);
    for (const int64_t y : {first, first + 8})
      HWY_DYNAMIC_DISPATCH(distort_blocks)(luma_, blocks_y, layout_.luma_stride, planes_ + layout_.luma(y));
    for (int which = 0; which < 2; ++which) {
      HWY_DYNAMIC_DISPATCH(distort_blocks)
      (chroma_, blocks_c, layout_.chroma_stride, planes_ + layout_.chroma(which, first / 2));
      for (int64_t y = first / 2; y < first / 2 + kJpegSide; ++y) {  // for upsampling
        uint8_t* const samples = planes_ + layout_.chroma(which, y);
        samples[-1] = samples[0];
        samples[halved_columns()] = samples[halved_columns() - 1];
      }
    }
  }
  /// Samples before the transform. Those beyond the picture are the last ones: of the rows of chroma, once halved.
  void make_two_rows(int64_t y, int64_t blocks_y, int64_t blocks_c) const {
    uint8_t* const luma = planes_ + layout_.luma(y);
    if (y >= rows_) {
      const auto repeat = [](uint8_t* to, const uint8_t* from, int64_t n) {
        std::memcpy(to, from, static_cast<size_t>(n));
      };
      repeat(luma, luma - layout_.luma_stride, blocks_y);
      repeat(luma + layout_.luma_stride, luma, blocks_y);
      for (int which = 0; which < 2; ++which)
        repeat(planes_ + layout_.chroma(which, y / 2), planes_ + layout_.chroma(which, y / 2 - 1), blocks_c / 2);
      return;
    }
    for (int i = 0; i < 2; ++i) {
      const YccRows to{luma + i * layout_.luma_stride, row(i), row(2 + i)};
      HWY_DYNAMIC_DISPATCH(to_ycc)(in_ + std::min(y + i, rows_ - 1) * columns_ * 3, columns_, to);
      std::fill(to.y + columns_, to.y + blocks_y, to.y[columns_ - 1]);
      for (uint8_t* const full : {to.cb, to.cr}) std::fill(full + columns_, full + blocks_c, full[columns_ - 1]);
    }
    for (int which = 0; which < 2; ++which) HWY_DYNAMIC_DISPATCH(halve_rows)
    (row(2 * which), row(2 * which + 1), blocks_c / 2, planes_ + layout_.chroma(which, y / 2));
  }

  /// Rows of pixels.
  void show(int64_t begin, int64_t end) const {
    for (int64_t y = begin; y < end; ++y) {
      const int64_t near = y / 2, far = std::clamp<int64_t>(y % 2 ? near + 1 : near - 1, 0, halved_rows() - 1);
      for (int which = 0; which < 2; ++which)
        upsample(planes_ + layout_.chroma(which, near), planes_ + layout_.chroma(which, far), row(which));
      codec::jpeg::ycc_row(planes_ + layout_.luma(y), row(0), row(1), static_cast<size_t>(columns_), false,
                           out_ + y * columns_ * 3);
    }
  }
  void upsample(const uint8_t* near, const uint8_t* far, uint8_t* out) const {
    if (halved_columns() > 2) {
      codec::jpeg::triangle_both(near, far, static_cast<size_t>(halved_columns()), out);
      return;
    }
    for (int64_t x = 0; x < columns_; ++x) out[x] = near[x / 2];  // libjpeg's choice for narrow pictures
  }

  const uint8_t* in_;
  uint8_t* out_;
  uint8_t* planes_;
  JpegPlanes layout_;
  int64_t rows_, columns_;
  StepTable luma_, chroma_;
};

}  // namespace

void jpeg_distortion(const JpegDistortionJob& job) {
  for (int64_t picture = 0; picture < job.pictures; ++picture) Distortion(job, picture).run();
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

#include "codec/jpeg2000/planes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace penstock::codec::jpeg2000 {
namespace {

constexpr int highest_of(int bits) { return (1 << bits) - 1; }

// Samples that cover several pixels are repeated, as Pillow does.
class Plane {
 public:
  Plane(const opj_image_comp_t& plane, const Header& header, const Region& region)
      : plane_(plane),
        header_(header),
        highest_(highest_of(static_cast<int>(plane.prec))),
        to_(highest_of(header.bits)),
        offset_(plane.sgnd ? 1 << (plane.prec - 1) : 0),
        width_(static_cast<size_t>(region.width)),
        first_(place(first(header.x0, header.dx) + region.x0, header.dx, plane.dx, plane.x0, plane.w)) {
    one_a_pixel_ = plane.dx == header.dx && first_ + width_ <= plane.w;
    if (one_a_pixel_) return;
    for (int64_t x = 0; x < region.width; ++x)
      columns_.push_back(place(first(header.x0, header.dx) + region.x0 + x, header.dx, plane.dx, plane.x0, plane.w));
  }

  /// Writes row y of the picture to every `channels`-th place.
  template <class T>
  void write_row(int64_t y, T* out, size_t channels) const {
    const OPJ_INT32* row =
        plane_.data + place(first(header_.y0, header_.dy) + y, header_.dy, plane_.dy, plane_.y0, plane_.h) *
                          static_cast<size_t>(plane_.w);
    if (one_a_pixel_ && highest_ == to_) {
      row += first_;
      for (size_t x = 0; x < width_; ++x) out[x * channels] = static_cast<T>(std::clamp(row[x] + offset_, 0, highest_));
      return;
    }
    for (size_t x = 0; x < width_; ++x) {
      const int64_t value = std::clamp(row[one_a_pixel_ ? first_ + x : columns_[x]] + offset_, 0, highest_);
      out[x * channels] = static_cast<T>((value * to_ + highest_ / 2) / highest_);
    }
  }

 private:
  /// The first pixel on the grid of pixels.
  static int64_t first(int64_t begin, int64_t step) { return (begin + step - 1) / step; }
  /// Index of the sample for a pixel, of those from the `begin`-th on.
  static size_t place(int64_t pixel, int64_t step, int64_t covers, int64_t begin, int64_t count) {
    return static_cast<size_t>(std::clamp<int64_t>(pixel * step / covers - begin, 0, count - 1));
  }

  const opj_image_comp_t& plane_;
  const Header& header_;
  int highest_, to_, offset_;
  size_t width_, first_;
  bool one_a_pixel_ = false;
  std::vector<size_t> columns_;  // where there is not one sample a pixel
};

/// Full range, as JFIF has it.
template <class T>
void ycc_to_rgb(T* pixel, int bits) {
  const float highest = static_cast<float>(highest_of(bits)), middle = static_cast<float>(1 << (bits - 1));
  const float y = pixel[0], cb = pixel[1] - middle, cr = pixel[2] - middle;
  const auto rounded = [&](float value) { return static_cast<T>(std::clamp(value + .5f, 0.f, highest)); };
  pixel[0] = rounded(y + 1.402f * cr);
  pixel[1] = rounded(y - .344136f * cb - .714136f * cr);
  pixel[2] = rounded(y + 1.772f * cb);
}

template <class T>
void interleave_as(const opj_image_t& image, const Header& header, const Region& region, T* out) {
  std::vector<Plane> planes;
  for (OPJ_UINT32 c = 0; c < image.numcomps; ++c) planes.emplace_back(image.comps[c], header, region);
  const size_t channels = planes.size();
  for (int64_t y = region.y0; y < region.y0 + region.height; ++y) {
    for (size_t c = 0; c < channels; ++c) planes[c].write_row(y, out + c, channels);
    T* const end = out + static_cast<size_t>(region.width) * channels;
    if (header.ycc)
      for (T* pixel = out; pixel < end; pixel += channels) ycc_to_rgb(pixel, header.bits);
    out = end;
  }
}

}  // namespace

void interleave(const opj_image_t& image, const Header& header, const Region& region, std::byte* out) {
  if (header.bits > 8)
    interleave_as(image, header, region, reinterpret_cast<uint16_t*>(out));
  else
    interleave_as(image, header, region, reinterpret_cast<uint8_t*>(out));
}

}  // namespace penstock::codec::jpeg2000

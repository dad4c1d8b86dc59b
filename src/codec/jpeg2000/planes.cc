#include "codec/jpeg2000/planes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace penstock::codec::jpeg2000 {
namespace {

// Samples of chroma are repeated, as Pillow does.
class Plane {
 public:
  Plane(const opj_image_comp_t& plane, const Header& header, const Region& region)
      : plane_(plane),
        header_(header),
        highest_(highest(static_cast<int>(plane.prec))),
        to_(highest(header.bits)),
        offset_(plane.sgnd ? 1 << (plane.prec - 1) : 0) {
    for (int64_t x = 0; x < region.width; ++x)
      columns_.push_back(place(first(header.x0, header.dx) + region.x0 + x, header.dx, plane.dx, plane.x0, plane.w));
  }

  void select_row(int64_t y) {
    row_ = plane_.data + place(first(header_.y0, header_.dy) + y, header_.dy, plane_.dy, plane_.y0, plane_.h) *
                             static_cast<size_t>(plane_.w);
  }
  int at(int64_t x) const {
    const int value = std::clamp(row_[columns_[static_cast<size_t>(x)]] + offset_, 0, highest_);
    return highest_ == to_ ? value : static_cast<int>((int64_t{value} * to_ + highest_ / 2) / highest_);
  }

 private:
  static int highest(int bits) { return (1 << bits) - 1; }
  /// The first pixel on the grid of pixels.
  static int64_t first(int64_t begin, int64_t step) { return (begin + step - 1) / step; }
  /// Index of the sample for a pixel, of those from the `begin`-th on.
  static size_t place(int64_t pixel, int64_t step, int64_t covers, int64_t begin, int64_t count) {
    return static_cast<size_t>(std::clamp<int64_t>(pixel * step / covers - begin, 0, count - 1));
  }

  const opj_image_comp_t& plane_;
  const Header& header_;
  int highest_, to_, offset_;
  std::vector<size_t> columns_;
  const OPJ_INT32* row_ = nullptr;
};

/// Full range, as JFIF has it.
template <class T>
void ycc_to_rgb(T* pixel, int bits) {
  const float highest = static_cast<float>((1 << bits) - 1), middle = static_cast<float>(1 << (bits - 1));
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
  for (int64_t y = region.y0; y < region.y0 + region.height; ++y) {
    for (Plane& plane : planes) plane.select_row(y);
    for (int64_t x = 0; x < region.width; ++x, out += planes.size()) {
      for (size_t c = 0; c < planes.size(); ++c) out[c] = static_cast<T>(planes[c].at(x));
      if (header.ycc) ycc_to_rgb(out, header.bits);
    }
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

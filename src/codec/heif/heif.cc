#include "codec/heif/heif.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "codec/bytes.h"
#include "codec/heif/library.h"

namespace penstock::codec::heif {
namespace {

constexpr std::array<std::string_view, 10> kBrands = {"heic", "heix", "heim", "heis", "hevc",
                                                      "hevx", "mif1", "msf1", "avif", "avis"};

bool is_avif(std::span<const uint8_t> bytes) { return starts_with(bytes.subspan(8), "avi"); }

/// What brings the decoder that a file needs.
std::string_view package_of(std::span<const uint8_t> bytes) {
  return is_avif(bytes) ? "libdav1d (on Debian 13: apt-get install libheif-plugin-dav1d)"
                        : "libde265 (on Debian 13: apt-get install libheif-plugin-libde265)";
}

/// A file and its primary picture.
class File {
 public:
  explicit File(std::span<const uint8_t> bytes)
      : heif_(Library::get()),
        context_(nullptr, heif_.destroy),
        handle_(nullptr, heif_.release_handle),
        image_(nullptr, heif_.release_image) {
    PENSTOCK_CHECK(heif_.why.empty(), DataError, "AVIF/HEIF ({}) is read by libheif: {}",
                   is_avif(bytes) ? "AVIF" : "HEIF", heif_.why);
    PENSTOCK_CHECK(heif_.has_decoder(is_avif(bytes) ? kAv1 : kHevc) || starts_with(bytes.subspan(8), "m"), DataError,
                   "libheif {} has no decoder for {}; it needs {}", heif_.version, is_avif(bytes) ? "AVIF" : "HEIC",
                   package_of(bytes));
    context_.reset(heif_.make());
    PENSTOCK_CHECK(context_, DataError, "libheif is out of memory");
    heif_.limit_threads(context_.get(), 0);  // workers decode other pictures meanwhile
    heif_.limit_size(context_.get(), 1 << 16);
    check(heif_.read(context_.get(), bytes.data(), bytes.size(), nullptr));
    Handle* handle = nullptr;
    const Status status = heif_.primary(context_.get(), &handle);
    handle_.reset(handle);
    check(status);
  }

  Info info() const {
    const int bits = heif_.bits(handle_.get());
    PENSTOCK_CHECK(bits >= 1 && bits <= 16, DataError, "the header says samples of {} bits", bits);
    // libheif turns pictures as the boxes of their file say, which is more than what EXIF has to say here.
    return {.format = &kEntry,
            .height = heif_.height(handle_.get()),
            .width = heif_.width(handle_.get()),
            .channels = heif_.has_alpha(handle_.get()) ? 4 : 3,
            .bits = bits};
  }

  void decode(const Info& info, const Region& region, std::byte* out) {
    const bool deep = info.bits > 8, alpha = info.channels == 4;
    const Chroma layout = deep ? (alpha ? kRgba16 : kRgb16) : (alpha ? kRgba8 : kRgb8);
    Picture* image = nullptr;
    const Status status = heif_.decode(handle_.get(), &image, kRgb, layout, nullptr);
    image_.reset(image);
    check(status);
    int row_bytes = 0;
    const uint8_t* plane = heif_.plane(image, kInterleaved, &row_bytes);
    const size_t pixel_bytes = static_cast<size_t>(info.channels) * sample_bytes(info.bits);
    PENSTOCK_CHECK(plane && heif_.image_width(image, kInterleaved) == info.width &&
                       heif_.image_height(image, kInterleaved) == info.height &&
                       heif_.image_bits(image, kInterleaved) == info.bits &&
                       row_bytes >= info.width * static_cast<int64_t>(pixel_bytes),
                   DataError, "the picture is {} x {} of {} bits, its header says {} x {} of {} bits (height x width)",
                   heif_.image_height(image, kInterleaved), heif_.image_width(image, kInterleaved),
                   heif_.image_bits(image, kInterleaved), info.height, info.width, info.bits);
    const size_t row = static_cast<size_t>(region.width) * pixel_bytes;
    for (int64_t y = 0; y < region.height; ++y)
      std::memcpy(out + static_cast<size_t>(y) * row,
                  plane + (region.y0 + y) * row_bytes + region.x0 * static_cast<int64_t>(pixel_bytes), row);
  }

 private:
  void check(const Status& status) const {
    PENSTOCK_CHECK(status.code == 0, DataError, "{}", status.text ? status.text : "the data is damaged");
  }

  template <class T>
  using Owned = std::unique_ptr<T, void (*)(T*)>;

  const Library& heif_;
  Owned<Context> context_;
  Owned<const Handle> handle_;
  Owned<const Picture> image_;
};

// A picture is decoded as a whole: its chroma is interpolated, and its filters cross the blocks.
class HeifEngine : public Engine {
 public:
  Samples samples(const Info& info, ImageType) const override { return {.channels = info.channels, .bits = info.bits}; }

  void decode(std::span<const uint8_t> bytes, const Info& info, const Request&, const Region& region,
              std::byte* out) override {
    File file(bytes);
    PENSTOCK_CHECK(file.info() == info, DataError, kOtherHeader);
    file.decode(info, region, out);
  }
};

}  // namespace

bool recognises(std::span<const uint8_t> bytes) {
  if (bytes.size() < 16 || !starts_with(bytes.subspan(4), "ftyp")) return false;
  return std::ranges::any_of(kBrands, [&](std::string_view brand) { return starts_with(bytes.subspan(8), brand); });
}

Info peek(std::span<const uint8_t> bytes) {
  const Info info = File(bytes).info();
  check_extents(info.height, info.width);
  return info;
}

std::unique_ptr<Engine> make_engine() { return std::make_unique<HeifEngine>(); }

}  // namespace penstock::codec::heif

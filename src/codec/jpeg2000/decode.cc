#include <openjpeg.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "codec/bytes.h"
#include "codec/jpeg2000/header.h"
#include "codec/jpeg2000/jpeg2000.h"
#include "codec/jpeg2000/planes.h"

namespace penstock::codec::jpeg2000 {
namespace {

using namespace std::string_view_literals;

Info info_of(const Header& header) {
  return {.format = &kEntry,
          .height = header.height,
          .width = header.width,
          .channels = header.channels,
          .bits = header.bits,
          .orientation = header.orientation};
}

/// The file as OpenJPEG reads it.
struct Source {
  std::span<const uint8_t> bytes;
  size_t at = 0;

  size_t left() const { return bytes.size() - at; }
};

OPJ_SIZE_T read(void* to, OPJ_SIZE_T count, void* source) {
  Source& from = *static_cast<Source*>(source);
  count = std::min(count, from.left());
  if (count == 0) return static_cast<OPJ_SIZE_T>(-1);  // the end
  std::memcpy(to, &from.bytes[from.at], count);
  from.at += count;
  return count;
}

OPJ_OFF_T skip(OPJ_OFF_T count, void* source) {
  Source& from = *static_cast<Source*>(source);
  if (count < 0 || static_cast<uint64_t>(count) > from.left()) return -1;
  from.at += static_cast<size_t>(count);
  return count;
}

OPJ_BOOL seek(OPJ_OFF_T to, void* source) {
  Source& from = *static_cast<Source*>(source);
  if (to < 0 || static_cast<uint64_t>(to) > from.bytes.size()) return OPJ_FALSE;
  from.at = static_cast<size_t>(to);
  return OPJ_TRUE;
}

template <class T, void (*destroy)(T*)>
struct Destroy {
  void operator()(T* object) const { destroy(object); }
};
template <class T, void (*destroy)(T*)>
using Owned = std::unique_ptr<T, Destroy<T, destroy>>;

class Reader {
 public:
  Reader(std::span<const uint8_t> bytes, const Header& header)
      : header_(header),
        source_{bytes},
        codec_(opj_create_decompress(header.boxed ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K)),
        stream_(opj_stream_create(std::clamp<size_t>(bytes.size(), 1 << 10, OPJ_J2K_STREAM_CHUNK_SIZE), OPJ_TRUE)) {
    PENSTOCK_CHECK(codec_ && stream_, DataError, "OpenJPEG is out of memory");
    opj_set_error_handler(codec_.get(), &Reader::keep_message, this);
    opj_stream_set_user_data(stream_.get(), &source_, nullptr);
    opj_stream_set_user_data_length(stream_.get(), bytes.size());
    opj_stream_set_read_function(stream_.get(), read);
    opj_stream_set_skip_function(stream_.get(), skip);
    opj_stream_set_seek_function(stream_.get(), seek);
  }

  /// The planes, of the region alone where it is not the whole picture.
  const opj_image_t& decode(const Region& region) {
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    check(opj_setup_decoder(codec_.get(), &parameters));
    opj_image_t* image = nullptr;
    const bool read = opj_read_header(stream_.get(), codec_.get(), &image);
    image_.reset(image);
    check(read && image);
    PENSTOCK_CHECK(image->x0 == header_.x0 && image->y0 == header_.y0 && image->x1 == header_.x1 &&
                       image->y1 == header_.y1 && image->numcomps == header_.components.size(),
                   DataError, kOtherHeader);
    if (region.height < header_.height || region.width < header_.width) choose(region);
    check(opj_decode(codec_.get(), stream_.get(), image));
    PENSTOCK_CHECK(static_cast<int>(image->numcomps) == header_.channels, DataError, "the palette is damaged");
    for (OPJ_UINT32 c = 0; c < image->numcomps; ++c) {
      const opj_image_comp_t& plane = image->comps[c];
      PENSTOCK_CHECK(plane.data && plane.w > 0 && plane.h > 0 && plane.prec >= 1 &&
                         static_cast<int>(plane.prec) <= header_.bits && plane.factor == 0,
                     DataError, "the data is damaged");
    }
    return *image;
  }

 private:
  // Coarser samples begin at or before the pixel that they are for.
  void choose(const Region& region) {
    const auto begin = [](int64_t first, int64_t step, int64_t pixel, int64_t covers) {
      return ((first + step - 1) / step + pixel) * step / covers * covers;
    };
    int64_t y0 = header_.y1, x0 = header_.x1;
    for (const Component& component : header_.components) {
      y0 = std::min(y0, begin(header_.y0, header_.dy, region.y0, component.dy));
      x0 = std::min(x0, begin(header_.x0, header_.dx, region.x0, component.dx));
    }
    const int64_t y1 = (header_.y0 / header_.dy + 1 + region.y0 + region.height) * header_.dy;
    const int64_t x1 = (header_.x0 / header_.dx + 1 + region.x0 + region.width) * header_.dx;
    check(opj_set_decode_area(codec_.get(), image_.get(), static_cast<int>(std::max(x0, header_.x0)),
                              static_cast<int>(std::max(y0, header_.y0)), static_cast<int>(std::min(x1, header_.x1)),
                              static_cast<int>(std::min(y1, header_.y1))));
  }

  void check(bool good) const {
    PENSTOCK_CHECK(good, DataError, "{}", message_.empty() ? "the data is damaged or cut off" : message_);
  }

  static void keep_message(const char* text, void* reader) {
    std::string& message = static_cast<Reader*>(reader)->message_;
    if (!message.empty()) return;  // the first one is the cause
    message = text;
    while (!message.empty() && message.back() == '\n') message.pop_back();
  }

  const Header& header_;
  Source source_;
  std::string message_;
  Owned<opj_codec_t, opj_destroy_codec> codec_;
  Owned<opj_stream_t, opj_stream_destroy> stream_;
  Owned<opj_image_t, opj_image_destroy> image_;
};

class Jpeg2000Engine : public Engine {
 public:
  Samples samples(const Info& info, ImageType) const override { return {.channels = info.channels, .bits = info.bits}; }

  void decode(std::span<const uint8_t> bytes, const Info& info, const Request&, const Region& region,
              std::byte* out) override {
    const Header header = read_header(bytes);
    PENSTOCK_CHECK(info_of(header) == info, DataError, kOtherHeader);
    Reader reader(bytes, header);
    interleave(reader.decode(region), header, region, out);
  }
};

}  // namespace

bool recognises(std::span<const uint8_t> bytes) {
  return starts_with(bytes, "\0\0\0\x0CjP  \r\n\x87\n"sv) || starts_with(bytes, "\xFF\x4F\xFF\x51"sv);
}

Info peek(std::span<const uint8_t> bytes) { return info_of(read_header(bytes)); }

std::unique_ptr<Engine> make_engine() { return std::make_unique<Jpeg2000Engine>(); }

}  // namespace penstock::codec::jpeg2000

#include "codec/tiff/file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "codec/engine.h"
#include "codec/tiff/fax.h"
#include "codec/tiff/names.h"
#include "core/check.h"

namespace penstock::codec::tiff {
namespace {

constexpr tmsize_t kMaxAllocation = tmsize_t{256} << 20;  // by libtiff at once; hostile headers ask for more
constexpr int kMaxSamples = 64;

SampleKind read_kind(const File& file) {
  switch (const auto format = file.field<uint16_t>(TIFFTAG_SAMPLEFORMAT)) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
      return SampleKind::kUnsigned;
    case SAMPLEFORMAT_INT:
      return SampleKind::kSigned;
    case SAMPLEFORMAT_IEEEFP:
      return SampleKind::kFloat;
    default:
      fail<DataError>("TIFF with complex or unknown samples (sample format {}) is not supported", format);
  }
}

void check_depth(const Layout& layout) {
  if (layout.kind == SampleKind::kFloat)
    PENSTOCK_CHECK(layout.bits == 32, DataError, "TIFF with floating-point samples of {} bits is not supported; 32 are",
                   layout.bits);
  else if (layout.kind == SampleKind::kSigned)
    PENSTOCK_CHECK(layout.bits == 8 || layout.bits == 16 || layout.bits == 32, DataError,
                   "TIFF with signed samples of {} bits is not supported; 8, 16 and 32 are", layout.bits);
  else
    PENSTOCK_CHECK((layout.bits >= 1 && layout.bits <= 16) || layout.bits == 32, DataError,
                   "TIFF with {} bits a sample is not supported; 1 to 16 and 32 are", layout.bits);
  const bool plain = layout.photometric == PHOTOMETRIC_MINISBLACK || layout.photometric == PHOTOMETRIC_RGB;
  PENSTOCK_CHECK(plain || layout.kind == SampleKind::kUnsigned, DataError,
                 "TIFF with signed or floating-point samples and photometric interpretation {} is not supported; 1 "
                 "(lowest value black) and 2 (RGB) are",
                 layout.photometric);
}

bool has_associated_alpha(const File& file) {
  uint16_t count = 0;
  const uint16_t* kinds = nullptr;
  return TIFFGetField(file.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) == 1 && count > 0 &&
         kinds[0] == EXTRASAMPLE_ASSOCALPHA;
}

void check_compression(const File& file) {
  const auto compression = file.field<uint16_t>(TIFFTAG_COMPRESSION);
  const std::string_view version(TIFFGetVersion());
  PENSTOCK_CHECK(TIFFIsCODECConfigured(compression), DataError,
                 "TIFF compressed with {} (scheme {}), which {} does not read as it was built; compress it anew, for "
                 "instance with Deflate",
                 name_of_compression(compression), compression, version.substr(0, version.find('\n')));
}

// Of the compressions whose best case is known. Larger pictures than any are refused by codec::peek().
void check_plausible(const Layout& layout, const File& file) {
  uint64_t most = 0;  // bytes of one
  switch (file.field<uint16_t>(TIFFTAG_COMPRESSION)) {
    case COMPRESSION_NONE:
      most = 1;
      break;
    case COMPRESSION_PACKBITS:
      most = 64;
      break;
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
      most = 1032;
      break;
    default:
      return;
  }
  if (layout.photometric == PHOTOMETRIC_YCBCR) return;  // may be subsampled
  const auto bits = static_cast<uint64_t>(layout.height * layout.width) * static_cast<uint64_t>(layout.samples) *
                    static_cast<uint64_t>(layout.bits);
  PENSTOCK_CHECK(bits / 8 > kMaxBytes || bits / 8 / most <= file.size(), DataError,
                 "the header says {} x {} pixels (height x width), more than {} bytes can hold", layout.height,
                 layout.width, file.size());
}

void check_supported(const Layout& layout) {
  check_depth(layout);
  PENSTOCK_CHECK(layout.samples >= 1 && layout.samples <= kMaxSamples, DataError,
                 "TIFF with {} samples a pixel is not supported; 1 to {} are", layout.samples, kMaxSamples);
  int least = 1;
  switch (layout.photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
      break;
    case PHOTOMETRIC_PALETTE:
      PENSTOCK_CHECK(layout.bits <= 16, DataError,
                     "TIFF with a palette has samples of {} bits; 16 at most are supported", layout.bits);
      break;
    case PHOTOMETRIC_RGB:
      least = 3;
      break;
    case PHOTOMETRIC_SEPARATED:
      least = 4;
      break;
    case PHOTOMETRIC_YCBCR:
      least = 3;
      PENSTOCK_CHECK(!layout.converted || (layout.samples == 3 && layout.bits == 8), DataError,
                     "TIFF in YCbCr has {} samples of {} bits; three of 8 are supported", layout.samples, layout.bits);
      break;
    default:
      fail<DataError>("TIFF in {} (photometric interpretation {}) is not supported",
                      name_of_photometric(layout.photometric), layout.photometric);
  }
  PENSTOCK_CHECK(layout.samples >= least, DataError, "the header says {} samples a pixel, the colours need {}",
                 layout.samples, least);
}

}  // namespace

int File::keep_message(TIFF*, void* file, const char*, const char* format, va_list values) {
  auto& message = static_cast<File*>(file)->message_;
  if (message[0] == 0) std::vsnprintf(message.data(), message.size(), format, values);
  return 1;
}

File::File(std::span<const uint8_t> bytes) : bytes_(bytes) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxAllocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_message, this);
  const auto silent = [](TIFF*, void*, const char*, const char*, va_list) { return 1; };
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), silent, nullptr);
  const auto read = [](thandle_t handle, void* to, tmsize_t count) -> tmsize_t {
    File& file = *static_cast<File*>(handle);
    const size_t got = std::min(static_cast<size_t>(count), file.bytes_.size() - file.at_);
    std::memcpy(to, file.bytes_.data() + file.at_, got);
    file.at_ += got;
    return static_cast<tmsize_t>(got);
  };
  const auto write = [](thandle_t, void*, tmsize_t) -> tmsize_t { return 0; };
  const auto seek = [](thandle_t handle, toff_t offset, int whence) -> toff_t {
    File& file = *static_cast<File*>(handle);
    const toff_t base = whence == SEEK_CUR ? file.at_ : whence == SEEK_END ? file.bytes_.size() : 0;
    file.at_ = static_cast<size_t>(std::min<toff_t>(base + offset, file.bytes_.size()));
    return file.at_;
  };
  const auto close = [](thandle_t) { return 0; };
  const auto size = [](thandle_t handle) -> toff_t { return static_cast<File*>(handle)->bytes_.size(); };
  const auto map = [](thandle_t handle, void** base, toff_t* length) {
    const auto bytes = static_cast<File*>(handle)->bytes_;
    *base = const_cast<uint8_t*>(bytes.data());  // libtiff does not write to a file opened for reading
    *length = bytes.size();
    return 1;
  };
  const auto unmap = [](thandle_t, void*, toff_t) {};
  tiff_.reset(TIFFClientOpenExt("", "r", this, read, write, seek, close, size, map, unmap, options.get()));
  if (!tiff_) raise();
  message_[0] = 0;  // of fields that libtiff left out: it went on without them
}

std::span<const uint8_t> File::first_piece() const {
  const uint64_t begin = TIFFGetStrileOffset(get(), 0), count = TIFFGetStrileByteCount(get(), 0);
  if (begin > bytes_.size() || count > bytes_.size() - begin) return {};
  return bytes_.subspan(begin, count);
}

void File::raise(int64_t row) const {
  std::string_view why = message_[0] ? message_.data() : "the data is damaged or ends too early";
  if (why.starts_with(": ")) why.remove_prefix(2);  // behind the file's name, which is none
  if (!tiff_) fail<DataError>("TIFF: {}", why);
  const auto compression = field<uint16_t>(TIFFTAG_COMPRESSION);
  const std::string mode = compression == COMPRESSION_NONE
                               ? "TIFF"
                               : fmt::format("TIFF compressed with {}", name_of_compression(compression));
  if (row < 0) fail<DataError>("{}: {}", mode, why);
  fail<DataError>("{}: {}, at row {} of {}", mode, why, row + 1, field<uint32_t>(TIFFTAG_IMAGELENGTH));
}

Layout read_layout(const File& file) {
  Layout layout{.height = file.field<uint32_t>(TIFFTAG_IMAGELENGTH),
                .width = file.field<uint32_t>(TIFFTAG_IMAGEWIDTH),
                .samples = file.field<uint16_t>(TIFFTAG_SAMPLESPERPIXEL),
                .bits = file.field<uint16_t>(TIFFTAG_BITSPERSAMPLE),
                .kind = read_kind(file),
                .photometric = file.field<uint16_t>(TIFFTAG_PHOTOMETRIC),
                .planes = file.field<uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE};
  layout.planes = layout.planes && layout.samples > 1;
  const auto orientation = file.field<uint16_t>(TIFFTAG_ORIENTATION);
  if (orientation >= 1 && orientation <= 8) layout.orientation = orientation;
  check_extents(layout.height, layout.width);
  layout.associated_alpha = has_associated_alpha(file) && layout.photometric == PHOTOMETRIC_RGB && layout.samples >= 4;
  const bool jpeg = file.field<uint16_t>(TIFFTAG_COMPRESSION) == COMPRESSION_JPEG && !layout.planes;
  layout.converted = layout.photometric == PHOTOMETRIC_YCBCR && !jpeg;
  check_supported(layout);
  check_compression(file);
  check_plausible(layout, file);
  allow_missing_ends_of_rows(file);
  if (layout.converted)
    layout.planes = false;
  else if (layout.photometric == PHOTOMETRIC_YCBCR)
    TIFFSetField(file.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  return layout;
}

}  // namespace penstock::codec::tiff

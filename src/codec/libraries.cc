#include "codec/libraries.h"

#include <gif_lib.h>
#include <openjpeg.h>
#include <png.h>
#include <tiffio.h>
#include <webp/decode.h>

#include <string_view>

#include "codec/heif/library.h"
#include "codec/jpeg/turbo/turbo.h"
#include "codec/tiff/names.h"
#include "core/check.h"

namespace penstock::codec {
namespace {

Library libjpeg() {
  if (jpeg::turbo_reads_deep_files()) return {"libjpeg-turbo", "3", {}};
  return {"libjpeg-turbo", "2", {"lossless JPEG", "JPEG of more than 8 bits"}};
}

Library libtiff() {
  constexpr uint16_t kSchemes[] = {COMPRESSION_LZW,  COMPRESSION_JPEG, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_ZSTD,
                                   COMPRESSION_LZMA, COMPRESSION_WEBP, COMPRESSION_LERC,          COMPRESSION_JBIG};
  std::string_view version(TIFFGetVersion());  // "LIBTIFF, Version 4.5.0" and lines about its authors
  version = version.substr(0, version.find('\n'));
  Library library{"libtiff", std::string(version.substr(version.rfind(' ') + 1)), {}};
  for (const uint16_t scheme : kSchemes)
    if (!TIFFIsCODECConfigured(scheme))
      library.lacks.push_back(fmt::format("TIFF compressed with {}", tiff::name_of_compression(scheme)));
  return library;
}

Library libwebp() {
  const int version = WebPGetDecoderVersion();
  return {"libwebp", fmt::format("{}.{}.{}", version >> 16, version >> 8 & 255, version & 255), {}};
}

Library giflib() { return {"giflib", fmt::format("{}.{}.{}", GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE), {}}; }

Library libheif() {
  const heif::Library& heif = heif::Library::get();
  if (!heif.why.empty()) return {"libheif", "", {"AVIF", "HEIC"}, heif.why};
  Library library{"libheif", heif.version, {}};
  if (!heif.has_decoder(heif::kAv1)) library.lacks.emplace_back("AVIF (needs libdav1d or libaom)");
  if (!heif.has_decoder(heif::kHevc)) library.lacks.emplace_back("HEIC (needs libde265)");
  return library;
}

}  // namespace

std::vector<Library> libraries() {
  return {libjpeg(),
          {"libpng", png_get_libpng_ver(nullptr), {}},
          libtiff(),
          libwebp(),
          {"OpenJPEG", opj_version(), {}},
          giflib(),
          libheif()};
}

}  // namespace penstock::codec

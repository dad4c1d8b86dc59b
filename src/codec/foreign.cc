#include "codec/foreign.h"

#include "codec/bytes.h"

namespace penstock::codec {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view name;
  size_t at;
  std::string_view bytes;
};

// Of those that share a beginning the longer ones come first.
constexpr Signature kSignatures[] = {{"JPEG XL", 0, "\xFF\x0A"sv},
                                     {"JPEG XL", 0, "\0\0\0\x0CJXL \r\n\x87\n"sv},
                                     {"JPEG XR", 0, "II\xBC\x01"sv},
                                     {"MP4 or another film", 4, "ftyp"sv},
                                     {"Photoshop's PSD", 0, "8BPS"sv},
                                     {"OpenEXR", 0, "\x76\x2F\x31\x01"sv},
                                     {"Radiance HDR", 0, "#?"sv},
                                     {"DDS", 0, "DDS "sv},
                                     {"QOI", 0, "qoif"sv},
                                     {"PAM (P7 of PNM)", 0, "P7\n"sv},
                                     {"PFM (floating-point PNM)", 0, "PF\n"sv},
                                     {"PFM (floating-point PNM)", 0, "Pf\n"sv},
                                     {"ICO", 0, "\0\0\1\0"sv},
                                     {"CUR", 0, "\0\0\2\0"sv},
                                     {"a DIB (BMP without the header of its file)", 0, "\x28\0\0\0"sv},
                                     {"a damaged JPEG (after its beginning comes no marker)", 0, "\xFF\xD8"sv},
                                     {"a damaged PNG (its first eight bytes are others)", 0, "\x89PNG"sv},
                                     {"MNG or JNG", 4, "\r\n\x1A\n"sv},
                                     {"GIMP's XCF", 0, "gimp xcf"sv},
                                     {"ICNS", 0, "icns"sv},
                                     {"IFF", 0, "FORM"sv},
                                     {"Farbfeld", 0, "farbfeld"sv},
                                     {"FLIF", 0, "FLIF"sv},
                                     {"BPG", 0, "BPG\xFB"sv},
                                     {"KTX", 1, "KTX "sv},
                                     {"Sun raster", 0, "\x59\xA6\x6A\x95"sv},
                                     {"SGI", 0, "\x01\xDA"sv},
                                     {"XPM", 0, "/* XPM"sv},
                                     {"XBM", 0, "#define"sv},
                                     {"WMF", 0, "\xD7\xCD\xC6\x9A"sv},
                                     {"PCX", 0, "\x0A\x05\x01"sv},
                                     {"FITS", 0, "SIMPLE  ="sv},
                                     {"DICOM", 128, "DICM"sv},
                                     {"HDF5", 0, "\x89HDF\r\n\x1A\n"sv},
                                     {"NumPy's NPY", 0, "\x93NUMPY"sv},
                                     {"PDF", 0, "%PDF"sv},
                                     {"PostScript", 0, "%!PS"sv},
                                     {"SVG", 0, "<svg"sv},
                                     {"XML or SVG", 0, "<?xml"sv},
                                     {"HTML", 0, "<!DOCTYPE"sv},
                                     {"HTML", 0, "<!doctype"sv},
                                     {"HTML", 0, "<html"sv},
                                     {"a pointer of Git LFS", 0, "version https://git-lfs"sv},
                                     {"WAV", 8, "WAVE"sv},
                                     {"AVI", 8, "AVI "sv},
                                     {"RIFF of another kind than WebP", 0, "RIFF"sv},
                                     {"Matroska or WebM", 0, "\x1A\x45\xDF\xA3"sv},
                                     {"FLAC", 0, "fLaC"sv},
                                     {"Ogg", 0, "OggS"sv},
                                     {"MP3", 0, "ID3"sv},
                                     {"Parquet", 0, "PAR1"sv},
                                     {"Arrow", 0, "ARROW1"sv},
                                     {"tar", 257, "ustar"sv},
                                     {"xz", 0,
                                      "\xFD"
                                      "7zXZ"sv},
                                     {"bzip2", 0, "BZh"sv},
                                     {"gzip", 0, "\x1F\x8B"sv},
                                     {"ZIP", 0, "PK\3\4"sv},
                                     {"Zstandard", 0, "\x28\xB5\x2F\xFD"sv}};

/// TGA has no signature: a kind, extents and a depth that fit each other, or the mark at the end of its second version.
bool is_tga(std::span<const uint8_t> bytes) {
  constexpr std::string_view kEnd = "TRUEVISION-XFILE.\0"sv;
  if (bytes.size() < kEnd.size()) return false;
  if (starts_with(bytes.last(kEnd.size()), kEnd)) return true;
  const uint8_t palette = bytes[1], kind = bytes[2] & ~8, depth = bytes[16];  // 8: run lengths
  const uint32_t colours = load_le16(&bytes[5]);
  const bool fits = palette == 0 ? colours == 0 && (kind == 2 || kind == 3) : palette == 1 && colours > 0 && kind == 1;
  return fits && load_le16(&bytes[12]) > 0 && load_le16(&bytes[14]) > 0 &&
         (depth == 15 || (depth % 8 == 0 && depth > 0 && depth <= 32));
}

}  // namespace

std::string_view foreign_format(std::span<const uint8_t> bytes) {
  if (is_tga(bytes)) return "TGA";
  for (const Signature& signature : kSignatures)
    if (bytes.size() > signature.at && starts_with(bytes.subspan(signature.at), signature.bytes)) return signature.name;
  return {};
}

}  // namespace penstock::codec

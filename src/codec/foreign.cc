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
constexpr Signature kSignatures[] = {{"GIF", 0, "GIF8"sv},
                                     {"JPEG 2000", 0, "\0\0\0\x0CjP  \r\n\x87\n"sv},
                                     {"JPEG 2000", 0, "\xFF\x4F\xFF\x51"sv},
                                     {"JPEG XL", 0, "\xFF\x0A"sv},
                                     {"JPEG XL", 0, "\0\0\0\x0CJXL \r\n\x87\n"sv},
                                     {"JPEG XR", 0, "II\xBC\x01"sv},
                                     {"AVIF", 4, "ftypavif"sv},
                                     {"AVIF", 4, "ftypavis"sv},
                                     {"HEIF", 4, "ftyphei"sv},
                                     {"HEIF", 4, "ftyphev"sv},
                                     {"HEIF", 4, "ftypmif1"sv},
                                     {"HEIF", 4, "ftypmsf1"sv},
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
                                     {"gzip", 0, "\x1F\x8B"sv},
                                     {"ZIP", 0, "PK\3\4"sv},
                                     {"Zstandard", 0, "\x28\xB5\x2F\xFD"sv}};

}  // namespace

std::string_view foreign_format(std::span<const uint8_t> bytes) {
  for (const Signature& signature : kSignatures)
    if (bytes.size() > signature.at && starts_with(bytes.subspan(signature.at), signature.bytes)) return signature.name;
  return {};
}

}  // namespace penstock::codec

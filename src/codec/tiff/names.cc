#include "codec/tiff/names.h"

#include <span>
#include <utility>

namespace penstock::codec::tiff {
namespace {

using Named = std::pair<uint16_t, std::string_view>;

constexpr Named kPhotometrics[] = {{4, "transparency masks"},
                                   {8, "CIE L*a*b*"},
                                   {9, "ICC L*a*b*"},
                                   {10, "ITU L*a*b*"},
                                   {32803, "colour filter arrays"},
                                   {32844, "logarithms of light (LogL)"},
                                   {32845, "logarithms of light (LogLuv)"},
                                   {34892, "raw light of cameras"}};

constexpr Named kCompressions[] = {{2, "modified Huffman codes"},
                                   {3, "fax group 3"},
                                   {4, "fax group 4"},
                                   {5, "LZW"},
                                   {6, "JPEG of TIFF 5 (old-style)"},
                                   {7, "JPEG"},
                                   {8, "Deflate"},
                                   {32946, "Deflate"},
                                   {32773, "PackBits"},
                                   {9, "JBIG"},
                                   {10, "JBIG of colours"},
                                   {32766, "NeXT's run lengths"},
                                   {32771, "modified Huffman codes in words"},
                                   {32809, "ThunderScan"},
                                   {32908, "PixarFilm"},
                                   {32909, "PixarLog"},
                                   {32947, "Kodak DCS"},
                                   {34661, "JBIG"},
                                   {34676, "SGI LogLuv"},
                                   {34677, "SGI LogLuv of 24 bits"},
                                   {34713, "Nikon NEF"},
                                   {34887, "LERC"},
                                   {34892, "lossy JPEG of DNG"},
                                   {34925, "LZMA"},
                                   {50000, "Zstandard"},
                                   {34927, "WebP"},
                                   {50001, "WebP"},
                                   {34712, "JPEG 2000"},
                                   {33003, "JPEG 2000"},
                                   {33004, "JPEG 2000"},
                                   {33005, "JPEG 2000"},
                                   {22610, "JPEG XR"},
                                   {34934, "JPEG XR"},
                                   {34933, "PNG"},
                                   {50002, "JPEG XL"},
                                   {50013, "PIXTIFF's Deflate"},
                                   {52546, "JPEG XL"}};

std::string_view look_up(std::span<const Named> names, uint16_t number, std::string_view unknown) {
  for (const auto& [known, name] : names)
    if (known == number) return name;
  return unknown;
}

}  // namespace

std::string_view name_of_photometric(uint16_t photometric) {
  return look_up(kPhotometrics, photometric, "an unknown colour space");
}

std::string_view name_of_compression(uint16_t compression) {
  return look_up(kCompressions, compression, "an unknown scheme");
}

}  // namespace penstock::codec::tiff

// Files of every coding mode of the formats whose libraries have modes, written by those libraries in the test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock::codec {

struct Mode {
  std::string name;  // letters, digits and underscores
  std::vector<uint8_t> file;
  std::vector<uint8_t> truth{};  // RGB of 8 bits, where the mode keeps all that it is given
};

/// Lossy and lossless, with and without alpha, each filter and compression of alpha.
std::vector<Mode> webp_modes();
/// Strips and tiles, interleaved and in planes, all depths, predictors and the compressions that libtiff has.
std::vector<Mode> tiff_modes();
/// All depths and colour types, interlaced and not.
std::vector<Mode> png_modes();
/// Progressive, arithmetic, in several scans; all colours and the subsamplings that cameras write, and odd ones.
std::vector<Mode> jpeg_modes();

/// All numbers of channels and bits, tiles, orders of packets, styles of blocks, subsampled and signed components.
std::vector<Mode> jpeg2000_modes();
/// Animations of three frames: palettes, interlaced and not, disposals, transparency, first frames of a part.
std::vector<Mode> gif_modes();

}  // namespace penstock::codec

// What a JPEG 2000 file says of its picture, read without OpenJPEG: that allocates for each tile, component and
// precinct that a header promises.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock::codec::jpeg2000 {

/// A plane of samples, each of which covers dy x dx places of the reference grid.
struct Component {
  int bits = 0;
  int64_t dy = 1, dx = 1;
};

struct Header {
  bool boxed = false;                      ///< JP2; else a bare codestream
  int64_t y0 = 0, x0 = 0, y1 = 0, x1 = 0;  ///< the picture on the reference grid
  std::vector<Component> components;       ///< as they are coded
  int64_t dy = 1, dx = 1;                  ///< places of the reference grid between pixels: the finest component's
  int64_t height = 0, width = 0;
  int channels = 0, bits = 0;  ///< behind the palette, if there is one
  bool ycc = false;            ///< the first three channels are luma and chroma
  int orientation = 1;
};

/// @throws DataError for damaged headers, for modes that the decoder does not know, and for more tiles, precincts or
///         layers than the file's bytes can hold
Header read_header(std::span<const uint8_t> bytes);

/// Refuses a codestream whose packets its bytes cannot hold. Each takes a byte at least.
/// @param codestream from its start marker on
void check_packets(std::span<const uint8_t> codestream, int64_t tile_height, int64_t tile_width, size_t components);

}  // namespace penstock::codec::jpeg2000

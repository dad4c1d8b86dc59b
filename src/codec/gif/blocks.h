// What the blocks of a GIF file say of its frames, without decoding any.
#pragma once

#include <cstdint>
#include <span>

namespace penstock::codec::gif {

struct Blocks {
  int64_t height = 0, width = 0;  ///< of the canvas: the screen, and where the first frame reaches beyond, that too
  int64_t frames = 0;
  bool first_is_transparent = false;  ///< the first frame has a transparent colour
};

/// @throws DataError where there is no frame
Blocks read_blocks(std::span<const uint8_t> bytes);

}  // namespace penstock::codec::gif

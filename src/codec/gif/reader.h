// The frames of a GIF file, one after the other, through giflib.
#pragma once

#include <gif_lib.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/engine.h"

namespace penstock::codec::gif {

using Colour = std::array<uint8_t, 4>;

struct Frame {
  Region place;
  std::array<Colour, 256> colours{};
  int transparent = -1;         ///< the index that leaves what is there
  int disposal = 0;             ///< 0: not said
  std::vector<uint8_t> pixels;  ///< indices of colours
};

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Reads the next frame; false at the end. @throws DataError, also for more than kMaxPixels
  bool next(Frame& frame);
  /// The colour of the background; without a table of the whole file the first one, as Pillow has it.
  int background() const { return gif_->SColorMap ? gif_->SBackGroundColor : 0; }

 private:
  static int read(GifFileType* gif, GifByteType* to, int count);
  bool find_image(Frame& frame);
  void read_extension(Frame& frame);
  void read_pixels(Frame& frame);
  void check(int status) const;

  std::span<const uint8_t> left_;
  GifFileType* gif_;
};

}  // namespace penstock::codec::gif

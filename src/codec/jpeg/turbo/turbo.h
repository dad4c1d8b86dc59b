// libjpeg-turbo as a decoder of regions: for every file that our own decoder leaves to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/engine.h"
#include "codec/jpeg/turbo/reader.h"

namespace penstock::codec::jpeg {

/// False for lossless files, and for those of other than 8 bits: their colours are handed over as stored, but for
/// YCbCr, which becomes RGB. They need libjpeg-turbo 3.
constexpr bool turbo_delivers_colours(const Info& info) { return info.bits == 8 && !info.lossless; }

/// Whether the libjpeg-turbo that is loaded reads those.
bool turbo_reads_deep_files();

class TurboDecoder {
 public:
  /// Decodes the region as the engine's samples() says. @throws DataError
  void decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
              uint8_t* out);

 private:
  struct Rows;
  void start(const Info& info, const Request& request);
  void read(const Rows& rows);
  template <class Sample>
  void read_deep(const Rows& rows, unsigned (*read)(jpeg_decompress_struct*, Sample**, unsigned));

  std::unique_ptr<Reader> reader_;
  int pictures_ = 0;
  std::vector<uint8_t> kept_;
};

}  // namespace penstock::codec::jpeg

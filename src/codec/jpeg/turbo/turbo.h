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

class TurboDecoder {
 public:
  /// Decodes the region as the engine's samples() says. @throws DataError
  void decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
              uint8_t* out);

 private:
  struct Rows;
  void start(const Info& info, const Request& request);
  void read(const Rows& rows);

  std::unique_ptr<Reader> reader_;
  int pictures_ = 0;
  std::vector<uint8_t> kept_;
};

}  // namespace penstock::codec::jpeg

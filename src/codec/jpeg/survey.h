// The places of a scan, without decoding its pictures.
#pragma once

#include <cstdint>
#include <span>

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/checkpoints.h"
#include "codec/jpeg/entropy.h"
#include "codec/jpeg/frame.h"
#include "codec/jpeg/places.h"

namespace penstock::codec::jpeg {

/// What a worker keeps for it from file to file.
class Survey {
 public:
  /// The places of the file's scan: those that are known, or else, while there is room for more, found by reading all
  /// of its symbols. Empty where the scan has none. They live as long as the checkpoints, or until the next call.
  std::span<const uint16_t> places_of(std::span<const uint8_t> file, const Headers& headers, Checkpoints& checkpoints);

 private:
  PackedPlaces read(std::span<const uint8_t> scan, const Headers& headers);

  EntropyDecoder entropy_;
  Bitstream bits_;
  PlaceNotes notes_;
  PackedPlaces places_;
};

}  // namespace penstock::codec::jpeg

#include "codec/jpeg/places.h"

#include <limits>

namespace penstock::codec::jpeg {

Place place_at(std::span<const uint16_t> packed, const PlaceGrid& grid, size_t i) {
  const uint16_t* words = &packed[i * grid.words()];
  Place place{.mcu = grid.mcu(i), .bit = words[0] | uint64_t{words[1]} << 16};
  for (size_t c = 0; c < grid.components(); ++c) place.dc[c] = static_cast<int16_t>(words[2 + c]);
  return place;
}

PackedPlaces PlaceNotes::packed(std::span<const uint8_t> stuffed) const {
  if (places_.size() != grid_.count()) return {};
  PackedPlaces packed;
  packed.reserve(places_.size() * grid_.words());
  StuffedPositions positions(stuffed);
  for (const Place& place : places_) {
    const uint64_t bit = positions.of(place.bit / 8) * 8 + place.bit % 8;
    if (bit > std::numeric_limits<uint32_t>::max()) return {};
    packed.push_back(static_cast<uint16_t>(bit));
    packed.push_back(static_cast<uint16_t>(bit >> 16));
    for (size_t c = 0; c < grid_.components(); ++c) packed.push_back(static_cast<uint16_t>(place.dc[c]));
  }
  return packed;
}

}  // namespace penstock::codec::jpeg

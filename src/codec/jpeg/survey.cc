#include "codec/jpeg/survey.h"

namespace penstock::codec::jpeg {

std::span<const uint16_t> Survey::places_of(std::span<const uint8_t> file, const Headers& headers,
                                            Checkpoints& checkpoints) {
  const FileKey key = key_of(file);
  if (const auto known = checkpoints.find(key)) return *known;
  if (!checkpoints.has_room()) return {};
  places_ = read(file.subspan(headers.scan_begin), headers);
  checkpoints.add(key, places_);
  return places_;
}

PackedPlaces Survey::read(std::span<const uint8_t> scan, const Headers& headers) {
  const Frame& frame = headers.frame;
  if (!entropy_.prepare(headers) || !bits_.take(scan, frame.segments())) return {};
  notes_.begin(PlaceGrid(frame));
  entropy_.note(&notes_);
  const bool done = entropy_.start(bits_) && entropy_.seek(frame.mcus());
  entropy_.note(nullptr);
  return done ? notes_.packed(scan) : PackedPlaces();
}

}  // namespace penstock::codec::jpeg

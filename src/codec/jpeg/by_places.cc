// The decoder's use of checkpoints: decoding begins where places say, or takes places down.
#include <algorithm>

#include "codec/jpeg/sequential.h"

namespace penstock::codec::jpeg {

bool SequentialDecoder::decode_with(Checkpoints& checkpoints, const FileKey& file) {
  grid_ = PlaceGrid(headers_.frame);
  if (const auto known = checkpoints.find(file)) return decode_from_places(*known) || decode_scan();
  if (!checkpoints.has_room()) return decode_scan();
  PackedPlaces places;
  const bool done = decode_noting(places);
  checkpoints.add(file, std::move(places));
  // Damage may lie where restart markers would otherwise lead past it.
  return done || decode_scan();
}

bool SequentialDecoder::decode_from_places(std::span<const uint16_t> places) {
  places_ = places;
  return places.size() == grid_.count() * grid_.words() && decode_rows();
}

bool SequentialDecoder::decode_noting(PackedPlaces& places) {
  const Frame& frame = headers_.frame;
  notes_.begin(grid_);
  entropy_.note(&notes_);
  const bool done = decode_scan();
  if (done && entropy_.seek(int64_t{frame.mcu_rows()} * frame.mcu_columns())) places = notes_.packed(scan_);
  entropy_.note(nullptr);
  return done;
}

bool SequentialDecoder::go_to(int mcu_row) {
  const int columns = headers_.frame.mcu_columns();
  // Where all of a row is wanted, the next one follows.
  const bool apart = grid_.before(0, mcu_columns_.begin) > 0 || mcu_columns_.end < columns;
  if (!places_.empty() && (apart || mcu_row == mcu_rows_.begin) &&
      !start_at_place(mcu_row, apart ? mcu_row : mcu_rows_.end - 1))
    return false;
  return entropy_.seek(int64_t{mcu_row} * columns + mcu_columns_.begin);
}

bool SequentialDecoder::start_at_place(int mcu_row, int last_row) {
  const Place from = place_at(places_, grid_, grid_.before(mcu_row, mcu_columns_.begin));
  const size_t after = grid_.after(last_row, mcu_columns_.end);
  const uint64_t begin = from.bit / 8;
  uint64_t end = scan_.size();
  // The byte in which the next place is, and the zero that may be stuffed after it.
  if (after < grid_.count()) end = std::min(end, place_at(places_, grid_, after).bit / 8 + 2);
  if (begin >= end) return false;  // a sidecar may say anything
  const size_t first = entropy_.segment_of(from.mcu);
  return bits_.take_part(scan_.subspan(begin, end - begin), first, headers_.frame.segments() - first) &&
         entropy_.start_at(bits_, from);
}

}  // namespace penstock::codec::jpeg

#include "codec/jpeg/runs.h"

#include <algorithm>
#include <cstring>

namespace penstock::codec::jpeg {
namespace {

bool is_marker(std::span<const uint8_t> bytes) {
  const auto kind = std::ranges::find_if(bytes, [](uint8_t byte) { return byte != 0xFF; });
  return kind != bytes.begin() && kind != bytes.end() && *kind != 0;
}

}  // namespace

bool Runs::divide(const Frame& frame, std::span<const uint16_t> places, std::span<const uint8_t> scan, Range mcu_rows,
                  Range mcu_columns, size_t most) {
  const PlaceGrid grid(frame);
  const auto rows = static_cast<size_t>(mcu_rows.end - mcu_rows.begin);
  if (frame.restart_interval > 0 || places.size() != grid.count() * grid.words() || rows == 0 || rows > most)
    return false;
  scan_ = scan;
  mcu_blocks_ = static_cast<uint32_t>(frame.mcu_blocks());
  runs_.clear();
  segments_.clear();
  bytes_ = 0;
  const size_t row_places = grid.after(0, mcu_columns.end) - grid.before(0, mcu_columns.begin);
  const size_t row_runs = std::min(row_places, most / rows), step = (row_places + row_runs - 1) / row_runs;
  for (int row = mcu_rows.begin; row < mcu_rows.end; ++row) {
    const size_t last = grid.after(row, mcu_columns.end);
    size_t i = grid.before(row, mcu_columns.begin);
    for (Place from = place_at(places, grid, i), to; i < last; from = to) {
      i = std::min(i + step, last);
      to = i < grid.count() ? place_at(places, grid, i) : Place{.mcu = frame.mcus(), .bit = scan.size() * 8};
      // The byte in which the next place is, and the zero that may be stuffed after it.
      if (!add(from, to.mcu, std::min<uint64_t>(to.bit / 8 + 2, scan.size()))) return false;
    }
  }
  return true;
}

bool Runs::add(const Place& from, int64_t end_mcu, size_t end) {
  const auto begin = static_cast<size_t>(from.bit / 8);
  if (begin >= end) return false;  // a sidecar may say anything
  if (!runs_.empty() && begin < runs_.back().end) {
    // The last bytes come with this run, which goes on in the same memory.
    Run& before = runs_.back();
    if (begin < before.begin) return false;
    bytes_ -= before.end - begin;
    before.end = begin;
  }
  runs_.push_back({begin, end, static_cast<uint32_t>(from.bit % 8)});
  bytes_ += end - begin;
  Segment& segment = segments_.emplace_back();
  segment.first_piece = static_cast<uint32_t>(segments_.size() - 1);
  segment.first_block = static_cast<uint32_t>(from.mcu) * mcu_blocks_;
  segment.blocks = static_cast<uint32_t>(end_mcu - from.mcu) * mcu_blocks_;
  for (size_t c = 0; c < segment.dc.size(); ++c) segment.dc[c] = static_cast<int16_t>(from.dc[c]);
  return true;
}

bool Runs::write(uint8_t* memory) {
  PastCaches out(memory);
  for (size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const auto bytes = scan_.subspan(run.begin, run.end - run.begin);
    segments_[i].begin = static_cast<uint32_t>(out.written() * 8) + run.skipped;
    if (i > 0 && runs_[i - 1].end == run.begin) segments_[i - 1].end = segments_[i].begin;
    const auto rest = bytes.subspan(out.copy_sound(bytes).taken);
    segments_[i].end = static_cast<uint32_t>(out.written() * 8);
    // Before the end of the scan, a 0xFF whose zero is not among the bytes.
    if (run.end == scan_.size() ? !is_marker(rest) : rest.size() > 1) return false;
  }
  out.finish();
  return true;
}

}  // namespace penstock::codec::jpeg

// Places of a scan from which decoding can go on: where in the file the bits of an MCU begin, and the DC values before
// it. With them a region is decoded without all that comes before it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/frame.h"

namespace penstock::codec::jpeg {

/// Which MCUs have a place: the first of each row, and every step-th after it.
class PlaceGrid {
 public:
  PlaceGrid() = default;
  explicit PlaceGrid(const Frame& frame)
      : columns_(frame.mcu_columns()),
        rows_(frame.mcu_rows()),
        components_(static_cast<size_t>(frame.count)),
        step_(std::max(kBlocks / frame.mcu_blocks(), 1)),
        per_row_((columns_ + step_ - 1) / step_) {}

  /// The last place that is not behind an MCU.
  size_t before(int row, int column) const { return at(row, column / step_); }
  /// The first place that is not before it; count() where there is none.
  size_t after(int row, int column) const { return at(row, (column + step_ - 1) / step_); }
  int64_t mcu(size_t place) const {
    const auto i = static_cast<int64_t>(place);
    return i / per_row_ * columns_ + i % per_row_ * step_;
  }
  size_t count() const { return at(rows_, 0); }

  /// Numbers that hold a place: the bit's, low half first, and a DC value for each component.
  size_t words() const { return 2 + components_; }
  size_t components() const { return components_; }

 private:
  // A place takes 10 bytes in colour, blocks of photographs 10 to 15: closer places save little and cost much.
  static constexpr int kBlocks = 24;

  size_t at(int row, int place) const {
    return static_cast<size_t>(row) * static_cast<size_t>(per_row_) + static_cast<size_t>(place);
  }

  int columns_ = 0, rows_ = 0;
  size_t components_ = 0;
  int step_ = 1, per_row_ = 1;
};

/// What is kept of a scan: all its places; nothing for one that has none.
using PackedPlaces = std::vector<uint16_t>;

struct Place {
  int64_t mcu = 0;
  uint64_t bit = 0;  ///< counted from the scan's first byte, as in the file
  std::array<int32_t, kMaxComponents> dc{};
};

/// Place `i` of those packed. @param packed as long as the grid says
Place place_at(std::span<const uint16_t> packed, const PlaceGrid& grid, size_t i);

/// Takes places down while a scan is decoded for the first time.
class PlaceNotes {
 public:
  void begin(const PlaceGrid& grid) {
    grid_ = grid;
    places_.clear();
    next_mcu_ = 0;
  }
  /// The MCU that is to be noted next; they come in order.
  int64_t next_mcu() const { return next_mcu_; }
  /// @param bit of the bytes without stuffing, all segments counted
  void add(uint64_t bit, const std::array<int32_t, kMaxComponents>& dc) {
    places_.push_back({next_mcu_, bit, dc});
    next_mcu_ = grid_.mcu(places_.size());
  }
  /// All places, counted in the stuffed bytes; empty where one is missing, or lies beyond what a place can say (512
  /// MB).
  PackedPlaces packed(std::span<const uint8_t> stuffed) const;

 private:
  PlaceGrid grid_;
  std::vector<Place> places_;
  int64_t next_mcu_ = 0;
};

}  // namespace penstock::codec::jpeg

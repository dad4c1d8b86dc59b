// A region's part of a scan, divided where its places are into runs that are decoded side by side: where each begins is
// known to the bit, and so are its DC values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/frame.h"
#include "codec/jpeg/places.h"
#include "codec/jpeg/scan_job.h"

namespace penstock::codec::jpeg {

/// What a worker keeps for it from file to file.
class Runs {
 public:
  /// Divides the MCUs of a scan without restart markers into `most` runs or fewer.
  /// @return false where the places are none of this scan's, and where there are more rows than that
  bool divide(const Frame& frame, std::span<const uint16_t> places, std::span<const uint8_t> scan, Range mcu_rows,
              Range mcu_columns, size_t most);
  /// Memory that write() needs, padding included.
  size_t bytes() const { return bytes_ + Bitstream::kPadding; }
  /// Writes the runs' bits, free of stuffing, one run behind the other.
  /// @return false where they are not as a sound file has them
  bool write(uint8_t* memory);
  /// A segment for each run, after write(); its bits end at `end` or up to two bytes before.
  std::span<const Segment> segments() const { return segments_; }

 private:
  struct Run {
    size_t begin, end;  // bytes of the scan; the next run may begin where this one ends
    uint32_t skipped;   // bits of the first of them
  };
  bool add(const Place& from, int64_t end_mcu, size_t end);

  std::span<const uint8_t> scan_;
  uint32_t mcu_blocks_ = 1;
  std::vector<Run> runs_;
  std::vector<Segment> segments_;
  size_t bytes_ = 0;
};

}  // namespace penstock::codec::jpeg

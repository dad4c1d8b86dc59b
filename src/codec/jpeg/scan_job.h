// A sequential file as a GPU decodes it: what the host has read of its headers, and which part of the picture is
// wanted.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/jpeg/code_tables.h"
#include "codec/jpeg/frame.h"

namespace penstock::codec::jpeg {

/// What lies between two restart markers, or a run from one place to another. Bits are counted in the scan without
/// stuffed bytes and markers.
struct Segment {
  uint32_t begin = 0, end = 0;
  uint32_t first_piece = 0;
  uint32_t first_block = 0, blocks = 0;
  std::array<int16_t, 4> dc{};  ///< before it, by component
};

/// One component of the wanted part: whole blocks.
struct WantedPlane {
  Plane plane;
  Range rows, columns;         ///< blocks that hold wanted samples
  int first = 0;               ///< block of the MCU
  uint32_t blocks_before = 0;  ///< wanted blocks of the components before this one
  std::array<uint16_t, 64> quantisation{};

  constexpr int stride() const { return (columns.end - columns.begin) * kSide; }
  constexpr uint32_t blocks() const {
    return static_cast<uint32_t>((rows.end - rows.begin) * (columns.end - columns.begin));
  }
};

struct ScanJob {
  static constexpr int kThreads = 512;  ///< of a thread block; a scan's pieces are no more than its team's threads
  static constexpr int kMostTeam = 16;
  static constexpr int kTeamBlocks = 128;  ///< of all teams of a launch: one for each multiprocessor of an H100
  /// Thread blocks that share a scan, where the GPU can: several when there are fewer scans than fill it.
  /// @param most that a team may have
  static constexpr int team_for(int scans, int most) {
    const auto each = static_cast<int>(std::bit_floor(static_cast<unsigned>(kTeamBlocks / scans)));
    return std::clamp(each, 1, most);
  }
  // Below this, a piece is too short to be worth a thread: falling into step takes some hundred bits, and a
  // thread that does not fall into step records its states in each piece, for which there is little room. A team has
  // threads and room to spare.
  static constexpr uint32_t kMinPieceBits = 1024, kMinPieceBitsOfTeam = 256;
  /// The length of pieces for so many threads to share. @param bits of `segments` segments
  static constexpr uint32_t piece_bits_of(uint32_t bits, uint32_t segments, uint32_t threads) {
    const uint32_t least = threads > kThreads ? kMinPieceBitsOfTeam : kMinPieceBits;
    const uint32_t even = (bits / (threads - segments) + 32) / 32 * 32;
    return even > least ? even : least;
  }
  /// Pieces of a segment of so many bits.
  static constexpr uint32_t pieces_of(uint32_t bits, uint32_t piece_bits) {
    return bits == 0 ? 1 : (bits + piece_bits - 1) / piece_bits;
  }
  static constexpr int kMaxPlanes = 3;

  // On the GPU.
  uint32_t* stuffed = nullptr;  ///< the scan as the file has it; null: `words` are there
  Segment* counted = nullptr;   ///< what it is without stuffing, which the GPU finds out, with pieces and piece_bits
  uint32_t* words = nullptr;    ///< the scan, or its runs, as bytes
  const Segment* segments = nullptr;
  const CodeTables::Codes* codes = nullptr;
  const CodeTables::Entries* entries = nullptr;  ///< of these codes, by Use; null: the GPU makes them
  int16_t* dc = nullptr;                         ///< of all blocks, in the order of the file
  int16_t* coefficients = nullptr;               ///< of wanted blocks; the first of each is not its DC value
  /// Of wanted blocks, rows of a plane side by side. pieces == 0: they are there; direct(): there are none.
  uint8_t* samples = nullptr;
  uint8_t* out = nullptr;
  int32_t* refused = nullptr;       ///< set to 1 where the bits are not as an encoder writes them
  const uint8_t* pixels = nullptr;  ///< decoded by the host instead; null: not

  // In host memory.
  const int32_t* engine_failed = nullptr;  ///< whether the JPEG engine could not make the samples; null: it was not to
  const std::byte* pinned = nullptr;       ///< the scan, which is yet to be copied to `stuffed`; null: it is on its way

  uint32_t stuffed_bytes = 0;  ///< of `stuffed`; 0: `words` come as they are
  uint32_t segment_count = 0, pieces = 0, piece_bits = 0;
  bool runs = false;  ///< segments are runs of one piece each, and only those that the wanted part needs
  int mcu_blocks = 1, mcu_columns = 1;
  uint32_t blocks = 0;         ///< of the file
  uint32_t needed_blocks = 0;  ///< those down to the last wanted one
  uint32_t wanted_blocks = 0;
  int planes = 0;                                     ///< components that are wanted, the first ones
  std::array<uint8_t, kMaxMcuBlocks> component_of{};  ///< by block of the MCU
  uint32_t dc_tables = 0, ac_tables = 0;              ///< likewise, a bit each: which of the two
  std::array<WantedPlane, kMaxPlanes> wanted{};

  // Pixels as shown, of which (0, 0) is stored at (y0, x0).
  int height = 0, width = 0;
  int channels = 0;  ///< bytes of a pixel
  int y0 = 0, x0 = 0;
  int row_y = 1, row_x = 0, column_y = 0, column_x = 1;  ///< a shown row's, a shown column's step in the stored picture
  bool convert = false;                                  ///< YCbCr to RGB
  bool reverse = false;                                  ///< BGR

  /// Whether the GPU's coefficients become pixels in one launch: each wanted component has a sample for each pixel.
  constexpr bool direct() const {
    bool whole = pieces > 0;
    for (int c = 0; c < planes; ++c) {
      const Plane& plane = wanted[static_cast<size_t>(c)].plane;
      whole = whole && plane.h_ratio == 1 && plane.v_ratio == 1;
    }
    return whole;
  }
};

/// Which launches some jobs need.
struct ScanWork {
  bool stuffed = false;  ///< scans to the same without stuffing
  bool direct = false;   ///< scans to pixels
  bool samples = false;  ///< scans to samples
  bool pixels = false;   ///< samples, or what the host has decoded, to pixels

  constexpr ScanWork() = default;
  constexpr explicit ScanWork(std::span<const ScanJob> jobs) {
    for (const ScanJob& job : jobs) {
      stuffed |= job.stuffed != nullptr;
      direct |= job.direct();
      samples |= job.pieces > 0 && !job.direct();
      pixels |= !job.direct();
    }
  }
  constexpr bool scans() const { return direct || samples; }
};

}  // namespace penstock::codec::jpeg

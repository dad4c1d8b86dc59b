// Entropy decoding of a scan, some MCUs at a time, so that coefficients are used while they are in the L1 cache.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/frame.h"
#include "codec/jpeg/huffman.h"
#include "codec/jpeg/places.h"

namespace penstock::codec::jpeg {

class EntropyDecoder {
 public:
  EntropyDecoder() = default;
  EntropyDecoder(const EntropyDecoder&) = delete;  // block steps point to one another
  EntropyDecoder& operator=(const EntropyDecoder&) = delete;

  /// Coefficients that read() needs room for beyond the last block.
  static constexpr size_t kSpill = 64;

  /// Makes ready for scans with these headers. Tables are kept from the headers before where they are the same.
  /// @return false for tables that are not ours to use; there is nothing to start then
  bool prepare(const Headers& headers);

  /// Begins a scan. @param bits must stay until its end
  /// @return false where there are no bits
  bool start(const Bitstream& bits);

  /// Goes on from a place. @param bits begin with the byte in which the place is; must stay
  /// @return false where there are none
  bool start_at(const Bitstream& bits, const Place& place);
  /// Which segment an MCU belongs to.
  size_t segment_of(int64_t mcu) const { return static_cast<size_t>(mcu / interval_); }

  /// From the next start() on, notes the places of the MCUs that are decoded; then nothing is jumped over. nullptr: no
  /// longer.
  void note(PlaceNotes* notes) { notes_ = notes; }

  /// Goes on to an MCU, without looking at what restart markers let it jump over.
  /// @param mcu not before where it stands
  /// @return false for bits that no encoder writes, and for too few of them
  bool seek(int64_t mcu);

  /// Decodes `count` MCUs: their blocks in the order of the file, 64 coefficients each, in natural order, not yet
  /// dequantised. @param out must be clear, except for the spill
  bool read(int64_t count, int16_t* out);

 private:
  bool restart(size_t segment);
  uint64_t position() const;  // bits that were taken, of all segments
  bool take(int64_t count, Keep keep, int16_t* out);
  bool run(int64_t blocks, Keep keep, int16_t* out);
  bool sum_dc(int64_t mcus, Keep keep, int16_t* out);

  struct KeptTable {
    HuffmanCode code;
    std::unique_ptr<SymbolTable> table;  // 20 KB that most files need of four tables, and gray ones of two
  };
  bool keep(KeptTable& kept, const HuffmanCode& code, Coefficients kind);

  static constexpr int kSkipped = 64;  // MCUs at a time

  std::array<KeptTable, 4> dc_, ac_;
  std::array<BlockStep, kMaxMcuBlocks> steps_{};
  std::array<uint8_t, kMaxMcuBlocks> component_of_{};
  std::array<int16_t, kSkipped * kMaxMcuBlocks + 1> skipped_{};
  int blocks_ = 0;  // of an MCU

  const Bitstream* bits_ = nullptr;
  int64_t interval_ = 0;      // MCUs of a segment
  size_t first_segment_ = 0;  // which one the bits begin with
  PlaceNotes* notes_ = nullptr;
  int64_t mcu_ = 0;
  int64_t segment_end_ = 0;  // the MCU after the current segment's last
  SymbolState state_;
  const uint8_t *at_ = nullptr, *end_ = nullptr;
  std::array<int32_t, kMaxComponents> sums_{};
};

}  // namespace penstock::codec::jpeg

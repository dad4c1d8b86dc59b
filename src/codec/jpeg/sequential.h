// Our own decoder of sequential Huffman files of 8 bits: regions, and no more of the file than they need.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/engine.h"
#include "codec/jpeg/band.h"
#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/checkpoints.h"
#include "codec/jpeg/entropy.h"
#include "codec/jpeg/frame.h"

namespace penstock::codec::jpeg {

class SequentialDecoder {
 public:
  /// Decodes the region as the engine's samples() says for `type`. Equals libjpeg-turbo (islow, fancy upsampling) bit
  /// for bit.
  /// @param checkpoints where places of scans are kept from one decode to the next, if any
  /// @return false where the file is not ours to decode, or its bits are not as an encoder writes them; `out` may then
  ///         hold anything, and libjpeg-turbo is to decode the file or to say what is wrong with it
  bool decode(std::span<const uint8_t> bytes, const Info& info, ImageType type, const Region& region, uint8_t* out,
              Checkpoints* checkpoints = nullptr);

 private:
  bool take_headers(std::span<const uint8_t> bytes);
  void prepare();
  bool decode_scan();
  bool decode_with(Checkpoints& checkpoints, const FileKey& file);
  bool decode_from_places(std::span<const uint16_t> places);
  bool decode_noting(PackedPlaces& places);
  bool decode_rows();
  bool go_to(int mcu_row);
  bool start_at_place(int mcu_row, int last_row);
  bool decode_mcus(Range rows, Range columns);
  void transform(Range mcu_rows, Range mcus);
  void write_rows(int end);
  void write_row(int y);
  void trim();

  Headers headers_;
  std::vector<uint8_t> header_bytes_;  // what they were read from, where the next picture may begin with the same
  Bitstream bits_;
  EntropyDecoder entropy_;
  std::array<Band, kMaxComponents> bands_;
  std::vector<int16_t> coefficients_;
  std::vector<uint8_t> inks_;

  // Of the picture in work.
  ImageType type_ = ImageType::kRGB;
  Region region_;
  int used_ = 0;  // components that are wanted
  int lag_ = 0;   // rows that wait for the next row of MCUs
  Range mcu_rows_, mcu_columns_;
  int rows_at_once_ = 1;  // of MCUs
  std::span<const uint8_t> scan_;
  PlaceGrid grid_;
  std::span<const uint16_t> places_;  // empty: decoding begins with the scan
  PlaceNotes notes_;
  int next_row_ = 0;
  uint8_t *out_ = nullptr, *next_out_ = nullptr;
};

}  // namespace penstock::codec::jpeg

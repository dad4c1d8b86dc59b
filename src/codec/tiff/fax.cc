#include "codec/tiff/fax.h"

namespace penstock::codec::tiff {
namespace {

// Eleven zeros and more come from no codes, only from the mark at the end of a row.
bool has_end_of_row(std::span<const uint8_t> strip, bool lowest_bit_first) {
  constexpr int kZeros = 11;
  int zeros = 0;
  for (const uint8_t byte : strip)
    for (int i = 0; i < 8; ++i) {
      const bool one = byte >> (lowest_bit_first ? i : 7 - i) & 1;
      if (one && zeros >= kZeros) return true;
      zeros = one ? 0 : zeros + 1;
    }
  return false;
}

}  // namespace

void allow_missing_ends_of_rows(const File& file) {
  if (file.field<uint16_t>(TIFFTAG_COMPRESSION) != COMPRESSION_CCITTFAX3) return;
  if (file.field<uint32_t>(TIFFTAG_GROUP3OPTIONS) & GROUP3OPT_2DENCODING) return;
  const auto strip = file.first_piece();
  if (strip.empty() || has_end_of_row(strip, file.field<uint16_t>(TIFFTAG_FILLORDER) == FILLORDER_LSB2MSB)) return;
  TIFFSetField(file.get(), TIFFTAG_COMPRESSION, COMPRESSION_CCITTRLE);
  TIFFSetField(file.get(), TIFFTAG_FAXMODE, FAXMODE_NORTC | FAXMODE_NOEOL);
}

}  // namespace penstock::codec::tiff

// TIFF files by hand, for headers that no library writes.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::codec {

struct TiffFile {
  uint32_t height = 1, width = 1, bits = 8, samples = 1;
  uint32_t photometric = 1;  // the lowest value is black; 2: RGB, 6: YCbCr
  uint32_t rows_in_strip = height;
  std::vector<uint32_t> subsampling{};  // of YCbCr
  std::vector<uint8_t> strip{};         // the only one
  uint32_t compression = 1;             // none
};

/// Little-endian, one strip.
inline std::vector<uint8_t> tiff_file(const TiffFile& file) {
  std::vector<uint8_t> bytes{'I', 'I', '*', 0, 8, 0, 0, 0};
  const auto put = [&](uint32_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
  };
  constexpr uint32_t kShort = 3, kLong = 4;
  const uint32_t fields = file.subsampling.empty() ? 9 : 10, begin = 8 + 2 + fields * 12 + 4;
  const auto field = [&](uint32_t tag, uint32_t type, uint32_t value, uint32_t count = 1) {
    put(tag, 2);
    put(type, 2);
    put(count, 4);
    put(value, 4);
  };
  put(fields, 2);
  field(256, kLong, file.width);
  field(257, kLong, file.height);
  field(258, kShort, file.bits);  // libtiff takes one value for all samples
  field(259, kShort, file.compression);
  field(262, kShort, file.photometric);
  field(273, kLong, begin);
  field(277, kShort, file.samples);
  field(278, kLong, file.rows_in_strip);
  field(279, kLong, static_cast<uint32_t>(file.strip.size()));
  if (!file.subsampling.empty()) field(530, kShort, file.subsampling[0] | file.subsampling[1] << 16, 2);
  put(0, 4);
  bytes.insert(bytes.end(), file.strip.begin(), file.strip.end());
  return bytes;
}

}  // namespace penstock::codec

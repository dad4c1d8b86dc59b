#include <tiffio.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "modes.h"

namespace penstock::codec {
namespace {

constexpr uint32_t kHeight = 43, kWidth = 37, kTile = 32, kRowsInStrip = 10;

struct Kind {
  int samples = 3, bits = 8;
  int photometric = PHOTOMETRIC_RGB;
  int compression = COMPRESSION_NONE;
  int predictor = 0;
  int format = SAMPLEFORMAT_UINT;
  bool tiled = false, planes = false, big_endian = false;
  int horizontal = 1, vertical = 1;  // subsampling of YCbCr
  uint32_t fax_options = 0;
  int fax_mode = 0;
  int fill_order = FILLORDER_MSB2LSB;
  int extra = -1;  // kind of the samples beyond the colours

  int side_by_side() const { return planes ? 1 : samples; }
};

// A file in memory.
struct Memory {
  std::vector<uint8_t> bytes;
  size_t at = 0;

  TIFF* open(bool big_endian) {
    const auto write = [](thandle_t handle, void* from, tmsize_t count) -> tmsize_t {
      Memory& m = *static_cast<Memory*>(handle);
      m.bytes.resize(std::max(m.bytes.size(), m.at + static_cast<size_t>(count)));
      std::memcpy(&m.bytes[m.at], from, static_cast<size_t>(count));
      m.at += static_cast<size_t>(count);
      return count;
    };
    const auto read = [](thandle_t handle, void* to, tmsize_t count) -> tmsize_t {
      Memory& m = *static_cast<Memory*>(handle);
      const size_t got = std::min(static_cast<size_t>(count), m.bytes.size() - m.at);
      std::memcpy(to, m.bytes.data() + m.at, got);
      m.at += got;
      return static_cast<tmsize_t>(got);
    };
    const auto seek = [](thandle_t handle, toff_t offset, int whence) -> toff_t {
      Memory& m = *static_cast<Memory*>(handle);
      return m.at = offset + (whence == SEEK_CUR ? m.at : whence == SEEK_END ? m.bytes.size() : 0);
    };
    const auto close = [](thandle_t) { return 0; };
    const auto size = [](thandle_t handle) -> toff_t { return static_cast<Memory*>(handle)->bytes.size(); };
    return TIFFClientOpen("", big_endian ? "wb" : "wl", this, read, write, seek, close, size, nullptr, nullptr);
  }
};

// A stored sample whose highest value is 2^bits - 1, or half of that for signed ones.
uint32_t value_at(const Kind& kind, uint32_t y, uint32_t x, int c) {
  const uint64_t level = (y * 31 + x * 7 + static_cast<uint32_t>(c) * 85) % 256;
  const int bits = kind.format == SAMPLEFORMAT_INT ? kind.bits - 1 : kind.bits;
  return static_cast<uint32_t>(level * ((uint64_t{1} << bits) - 1) / 255);
}

// What it is as a sample of 8 bits.
uint8_t shown(const Kind& kind, uint32_t value) {
  const int bits = kind.format == SAMPLEFORMAT_INT ? kind.bits - 1 : kind.bits;
  const double highest = static_cast<double>((uint64_t{1} << bits) - 1);
  const double light = kind.photometric == PHOTOMETRIC_MINISWHITE ? highest - value : value;
  return static_cast<uint8_t>(light * 255 / highest + .5);
}

// Rows of samples, the first one in the highest bits of the first byte; those of whole bytes in the machine's order.
std::vector<uint8_t> pack(const Kind& kind, uint32_t y0, uint32_t x0, uint32_t height, uint32_t width, int plane) {
  std::vector<uint8_t> packed;
  for (uint32_t y = y0; y < y0 + height; ++y) {
    uint64_t kept = 0;
    int held = 0;
    for (uint32_t x = x0; x < x0 + width; ++x)
      for (int c = 0; c < kind.side_by_side(); ++c) {
        const uint32_t value = value_at(kind, y, x, kind.planes ? plane : c);
        if (kind.bits % 8 == 0) {
          for (int i = 0; i < kind.bits / 8; ++i) packed.push_back(static_cast<uint8_t>(value >> 8 * i));
          continue;
        }
        kept = kept << kind.bits | value;
        for (held += kind.bits; held >= 8; held -= 8) packed.push_back(static_cast<uint8_t>(kept >> (held - 8)));
      }
    if (held > 0) packed.push_back(static_cast<uint8_t>(kept << (8 - held)));
  }
  return packed;
}

void set_fields(TIFF* tiff, const Kind& kind) {
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, kHeight);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, kWidth);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind.samples);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, kind.format);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind.photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind.compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, kind.planes ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_FILLORDER, kind.fill_order);
  if (kind.predictor) TIFFSetField(tiff, TIFFTAG_PREDICTOR, kind.predictor);
  if (kind.fax_mode) TIFFSetField(tiff, TIFFTAG_FAXMODE, kind.fax_mode);
  if (kind.fax_options) TIFFSetField(tiff, TIFFTAG_GROUP3OPTIONS, kind.fax_options);
  if (kind.photometric == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, kind.horizontal, kind.vertical);
    if (kind.compression == COMPRESSION_JPEG) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  if (kind.extra >= 0) {
    const auto extra = static_cast<uint16_t>(kind.extra);
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
  }
  if (kind.tiled) {
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, kTile);
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kTile);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, kind.compression == COMPRESSION_JPEG ? 16 : kRowsInStrip);
  }
}

std::vector<uint8_t> write(const Kind& kind) {
  Memory memory;
  TIFF* tiff = memory.open(kind.big_endian);
  set_fields(tiff, kind);

  for (int plane = 0; plane < (kind.planes ? kind.samples : 1); ++plane) {
    if (!kind.tiled)
      for (uint32_t y = 0; y < kHeight; ++y) {
        auto row = pack(kind, y, 0, 1, kWidth, plane);
        EXPECT_EQ(TIFFWriteScanline(tiff, row.data(), y, static_cast<uint16_t>(plane)), 1);
      }
    else
      for (uint32_t y = 0; y < kHeight; y += kTile)
        for (uint32_t x = 0; x < kWidth; x += kTile) {
          auto tile = pack(kind, y, x, kTile, kTile, plane);
          EXPECT_GT(TIFFWriteTile(tiff, tile.data(), x, y, 0, static_cast<uint16_t>(plane)), 0);
        }
  }
  TIFFClose(tiff);
  return memory.bytes;
}

// Uncompressed YCbCr: blocks of luma, then one pair of chroma, in strips or tiles of whole blocks.
std::vector<uint8_t> write_subsampled(const Kind& kind) {
  Memory memory;
  TIFF* tiff = memory.open(false);
  set_fields(tiff, kind);
  const uint32_t height = kind.tiled ? kTile : 8, width = kind.tiled ? kTile : kWidth;
  if (!kind.tiled) TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, height);
  uint32_t piece = 0;
  for (uint32_t y0 = 0; y0 < kHeight; y0 += height)
    for (uint32_t x0 = 0; x0 < kWidth; x0 += width, ++piece) {
      std::vector<uint8_t> bytes;
      const uint32_t v = static_cast<uint32_t>(kind.vertical), h = static_cast<uint32_t>(kind.horizontal);
      const uint32_t end = kind.tiled ? y0 + height : std::min(y0 + height, kHeight);
      for (uint32_t y = y0; y < end; y += v)
        for (uint32_t x = x0; x < x0 + width; x += h) {
          for (uint32_t i = 0; i < v * h; ++i)
            bytes.push_back(static_cast<uint8_t>(value_at(kind, y + i / h, x + i % h, 0)));
          bytes.push_back(static_cast<uint8_t>(100 + x));
          bytes.push_back(static_cast<uint8_t>(170 - y));
        }
      const auto size = static_cast<tmsize_t>(bytes.size());
      EXPECT_EQ((kind.tiled ? TIFFWriteRawTile : TIFFWriteRawStrip)(tiff, piece, bytes.data(), size), size);
    }
  TIFFClose(tiff);
  return memory.bytes;
}

// RGB as a decoder should make it of gray or RGB samples.
std::vector<uint8_t> truth(const Kind& kind) {
  std::vector<uint8_t> rgb;
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x)
      for (int c = 0; c < 3; ++c) rgb.push_back(shown(kind, value_at(kind, y, x, kind.samples < 3 ? 0 : c)));
  return rgb;
}

std::string text(const Kind& kind) {
  return fmt::format(
      "{}_{}_bits_photometric_{}_compression_{}_predictor_{}_format_{}_{}{}{}{}", kind.samples, kind.bits,
      kind.photometric, kind.compression, kind.predictor, kind.format, kind.tiled ? "tiles" : "strips",
      kind.planes ? "_planes" : "", kind.big_endian ? "_big_endian" : "",
      kind.fax_options || kind.fax_mode ? fmt::format("_fax_{}_{}", kind.fax_options, kind.fax_mode) : "");
}

void add(std::vector<Mode>& modes, Kind kind) {
  for (kind.tiled = false;; kind.tiled = true) {
    modes.push_back({text(kind), write(kind), truth(kind)});
    if (kind.tiled) return;
  }
}

void add_depths(std::vector<Mode>& modes) {
  for (const int bits : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32})
    for (const bool big_endian : {false, true}) {
      for (const int photometric : {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE})
        add(modes, {.samples = 1, .bits = bits, .photometric = photometric, .big_endian = big_endian});
      for (const bool planes : {false, true}) add(modes, {.bits = bits, .planes = planes, .big_endian = big_endian});
    }
  for (const int bits : {8, 16, 32})
    for (const int samples : {1, 3})
      add(modes, {.samples = samples,
                  .bits = bits,
                  .photometric = samples == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB,
                  .format = SAMPLEFORMAT_INT});
}

void add_compressions(std::vector<Mode>& modes) {
  const std::pair<int, std::vector<int>> compressions[] = {{COMPRESSION_LZW, {1, 2}},
                                                           {COMPRESSION_ADOBE_DEFLATE, {1, 2}},
                                                           {COMPRESSION_PACKBITS, {0}},
                                                           {COMPRESSION_ZSTD, {1, 2}},
                                                           {COMPRESSION_LZMA, {1, 2}}};
  for (const auto& [compression, predictors] : compressions) {
    if (!TIFFIsCODECConfigured(static_cast<uint16_t>(compression))) continue;
    for (const int predictor : predictors)
      for (const int bits : {8, 16, 32})
        for (const bool planes : {false, true})
          for (const int samples : {3, 4})
            add(modes, {.samples = samples,
                        .bits = bits,
                        .compression = compression,
                        .predictor = predictor,
                        .planes = planes,
                        .extra = samples == 4 ? EXTRASAMPLE_UNASSALPHA : -1});
  }
  const std::pair<int, uint32_t> faxes[] = {{COMPRESSION_CCITTRLE, 0},
                                            {COMPRESSION_CCITTFAX3, 0},
                                            {COMPRESSION_CCITTFAX3, GROUP3OPT_2DENCODING},
                                            {COMPRESSION_CCITTFAX3, GROUP3OPT_FILLBITS},
                                            {COMPRESSION_CCITTFAX4, 0}};
  for (const auto& [compression, options] : faxes)
    for (const int photometric : {PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK}) {
      const Kind kind{
          .samples = 1, .bits = 1, .photometric = photometric, .compression = compression, .fax_options = options};
      modes.push_back({text(kind), write(kind), truth(kind)});
    }
  for (const int order : {FILLORDER_MSB2LSB, FILLORDER_LSB2MSB}) {
    const Kind bare{.samples = 1,
                    .bits = 1,
                    .photometric = PHOTOMETRIC_MINISWHITE,
                    .compression = COMPRESSION_CCITTFAX3,
                    .fax_mode = FAXMODE_NOEOL,
                    .fill_order = order};
    modes.push_back({fmt::format("fax_without_ends_of_rows_{}", order), write(bare), truth(bare)});
  }
}

}  // namespace

std::vector<Mode> tiff_modes() {
  std::vector<Mode> modes;
  add_depths(modes);
  add_compressions(modes);
  for (const auto& [horizontal, vertical] : {std::pair{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {4, 2}, {4, 4}})
    for (const bool tiled : {false, true}) {
      Kind kind{.photometric = PHOTOMETRIC_YCBCR, .tiled = tiled, .horizontal = horizontal, .vertical = vertical};
      const std::string name = fmt::format("ycbcr_{}x{}_{}", horizontal, vertical, tiled ? "tiles" : "strips");
      modes.push_back({name, write_subsampled(kind)});
      if (horizontal == 4 && vertical > 1) continue;
      kind.compression = COMPRESSION_JPEG;
      modes.push_back({"jpeg_" + name, write(kind)});
    }
  return modes;
}

}  // namespace penstock::codec

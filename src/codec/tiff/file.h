// A TIFF file in memory, opened with libtiff, and the fields of its first picture.
#pragma once

#include <tiffio.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "codec/engine.h"

namespace penstock::codec::tiff {

class File {
 public:
  /// @throws DataError for what libtiff cannot open
  explicit File(std::span<const uint8_t> bytes);
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  TIFF* get() const { return tiff_.get(); }
  size_t size() const { return bytes_.size(); }
  /// The bytes of the first strip or tile; empty where they lie outside of the file.
  std::span<const uint8_t> first_piece() const;
  /// @throws DataError with libtiff's first message since the file was opened, the mode, and the row if one is given
  [[noreturn]] void raise(int64_t row = -1) const;
  /// A field of type uint16 or uint32, or its default; 0 where it has none.
  template <class T>
  T field(uint32_t tag) const {
    T value{};
    TIFFGetFieldDefaulted(tiff_.get(), tag, &value);
    return value;
  }

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  static int keep_message(TIFF*, void* file, const char* module, const char* format, va_list values);

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  std::array<char, 256> message_{};
  std::unique_ptr<TIFF, Close> tiff_;
};

/// How the first picture is stored.
struct Layout {
  int64_t height = 0, width = 0;
  int samples = 0;  // a pixel, alpha and other extras included
  int bits = 0;     // a sample: 1 to 16, or 32
  SampleKind kind = SampleKind::kUnsigned;
  uint16_t photometric = 0;
  bool planes = false;
  bool associated_alpha = false;
  bool converted = false;  // libtiff makes interleaved RGB of it: YCbCr other than JPEG's
  int orientation = 1;

  bool palette() const { return photometric == PHOTOMETRIC_PALETTE; }
  bool cmyk() const { return photometric == PHOTOMETRIC_SEPARATED; }
  /// Samples of a pixel that lie side by side.
  int side_by_side() const { return planes ? 1 : samples; }
};

/// @throws DataError for pictures that the decoder does not know
Layout read_layout(const File& file);

}  // namespace penstock::codec::tiff

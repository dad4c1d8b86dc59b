// Encoded pictures to pixels on the CPU. The format is told by the contents; all formats obey one set of rules for
// orientation, colour, depth and element type (see finish.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <penstock/dtype.h>
#include <penstock/tensor.h>
#include <penstock/types.h>

namespace penstock::codec {

namespace jpeg {
class Checkpoints;
}

struct FormatEntry;
/// The formats that are decoded: one for each folder of src/codec (the build writes the table from them).
std::span<const FormatEntry* const> formats();

/// Pictures of more pixels are refused by peek(): a few hostile bytes must not claim gigabytes of memory.
inline constexpr int64_t kMaxPixels = int64_t{1} << 28;
/// And so are those whose samples take more bytes: some formats have dozens of channels.
inline constexpr int64_t kMaxBytes = int64_t{1} << 31;

enum class SampleKind : uint8_t { kUnsigned, kSigned, kFloat };

/// What a picture's header says.
struct Info {
  const FormatEntry* format = nullptr;
  int64_t height = 0, width = 0;  ///< as stored, before orientation
  int channels = 0;               ///< as ImageType::kAnyData gives
  int bits = 8;                   ///< significant bits of a sample: 1 to 16, or 32
  SampleKind kind = SampleKind::kUnsigned;
  bool cmyk = false;              ///< the first four channels are inks: as stored for kAnyData, else made RGB
  bool associated_alpha = false;  ///< the first three channels are multiplied by the fourth
  bool lowest_is_white = false;   ///< gray, which engines hand over with the lowest value black
  bool lossless = false;          ///< JPEG: of the process without a transform
  int orientation = 1;            ///< EXIF's number, 1 to 8
  int64_t frames = 1;             ///< of an animation

  friend bool operator==(const Info&, const Info&) = default;
};

/// Whose rules make pixels where libraries differ.
enum class Rules : uint8_t {
  kDali,
  /// Pillow's convert("RGB"): for ImageType::kRGB and uint8 only. Only TIFF files are turned as they ask for.
  kPillow,
};

/// What to make of a picture. The region is counted in the picture as it is shown, that is, oriented.
struct Request {
  ImageType type = ImageType::kRGB;
  DType dtype = DType::kUInt8;
  Rules rules = Rules::kDali;
  bool adjust_orientation = true;
  bool fast_idct = false;   ///< JPEG: the less exact integer transform
  bool all_frames = false;  ///< the region of each frame of an animation, not of the first one alone
  int64_t y0 = 0, x0 = 0, height = 0, width = 0;
  jpeg::Checkpoints* checkpoints = nullptr;  ///< JPEG: where scans may be entered, kept for the next time
};

/// Reads the header alone.
/// @throws DataError for bytes that are no picture of a known format, a damaged header, or more than kMaxPixels or
///         kMaxBytes.
Info peek(std::span<const uint8_t> bytes);

/// Type, shape and layout (HWC; FHWC for all frames) of the whole picture as the request wants it; the request's region
/// is not looked at.
/// @throws DataError for frames that take more than kMaxBytes together
TensorDesc describe(const Info& info, const Request& request);

/// The request for the whole picture.
Request whole(const Info& info, Request request);

class Engine;

/// Decodes one picture at a time. Keeps the libraries' handles and its buffers between pictures: one a worker thread.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  /// Writes the region densely, HWC, to `out`, which holds height * width * channels elements of the request's dtype;
  /// for all frames that many times as there are frames.
  /// A region's pixels equal those of the whole picture bit for bit.
  /// @param info what peek() said of these bytes
  /// @throws DataError for damaged or cut-off data and for a region outside of the picture, TypeError for a dtype that
  ///         pictures are not converted to.
  void decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, std::byte* out);

 private:
  std::vector<std::unique_ptr<Engine>> engines_;  // in the order of formats(), made at first use
  std::vector<std::byte> stored_, colours_;       // pixels on their way through finish()
};

}  // namespace penstock::codec

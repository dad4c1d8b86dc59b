// What a format gives to the decoder: how to know it, how to read its header, and an engine for its pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "codec/codec.h"

namespace penstock::codec {

/// A rectangle of the picture as stored.
struct Region {
  int64_t y0 = 0, x0 = 0, height = 0, width = 0;
};

/// Samples of so many bits are kept in one, two or four bytes.
constexpr size_t sample_bytes(int bits) { return bits > 16 ? 4 : bits > 8 ? 2 : 1; }

/// The kind of samples an engine hands over: interleaved, in the machine's order.
struct Samples {
  int channels = 0;
  int bits = 8;
  SampleKind kind = SampleKind::kUnsigned;
  /// kAnyData: one or two channels are luma and alpha, three and more begin with red, green, blue.
  ImageType colour = ImageType::kAnyData;

  size_t pixel_bytes() const { return static_cast<size_t>(channels) * sample_bytes(bits); }
  DType dtype() const;
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// What decode() hands over for a request of that type. Engines whose library converts colours for less than
  /// finish() would may do so; all others hand over what is stored, and colours in place of palette entries.
  virtual Samples samples(const Info& info, ImageType type) const = 0;
  /// Writes the region, rows without gaps, as samples() said.
  /// @throws DataError
  virtual void decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
                      std::byte* out) = 0;
  /// Writes the region of each frame of an animation to `frame` and calls `made`, in turn. For Info::frames above 1.
  /// @throws DataError
  virtual void decode_frames(std::span<const uint8_t> bytes, const Info& info, const Request& request,
                             const Region& region, std::byte* frame, const std::function<void()>& made);
};

/// One format: everything the rest of the codec knows of it.
struct FormatEntry {
  std::string_view name;
  bool (*recognises)(std::span<const uint8_t> bytes);
  Info (*peek)(std::span<const uint8_t> bytes);
  std::unique_ptr<Engine> (*make_engine)();
};

/// What engines say where peek()'s result and the bytes do not belong together.
inline constexpr const char* kOtherHeader = "the header is not the one that was looked at before";

/// Checks what a header says of the extents, before anything of that size is allocated.
/// @throws DataError for empty pictures and for more than kMaxPixels
void check_extents(int64_t height, int64_t width);

}  // namespace penstock::codec

// Any bytes at all are decoded, whole and in part, or refused with a DataError; a part equals the crop of the whole.
#include <penstock/error.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "codec/codec.h"

using namespace penstock;
using namespace penstock::codec;

namespace {

constexpr int64_t kMaxPixelsHere = 1 << 18;  // above, fuzzing would only be slow

std::vector<std::byte> decode(Decoder& decoder, std::span<const uint8_t> file, const Info& info, const Request& request,
                              size_t pixel_bytes) {
  // Of the exact size, so that the address sanitizer sees what is written beyond.
  std::vector<std::byte> out(static_cast<size_t>(request.height * request.width) * pixel_bytes);
  decoder.decode(file, info, request, out.data());
  return out;
}

void check_crop(const std::vector<std::byte>& whole, const std::vector<std::byte>& part, const Request& all,
                const Request& region, size_t pixel_bytes) {
  for (int64_t y = 0; y < region.height; ++y) {
    const size_t row = static_cast<size_t>(region.width) * pixel_bytes;
    const auto* expected = &whole[static_cast<size_t>((region.y0 + y) * all.width + region.x0) * pixel_bytes];
    if (std::memcmp(expected, &part[static_cast<size_t>(y) * row], row) != 0) std::abort();
  }
}

}  // namespace

// dav1d leaks 40 bytes where an AVIF file has an empty picture: libheif gives it no bytes, which it refuses too late.
extern "C" const char* __lsan_default_suppressions() { return "leak:libdav1d.so"; }  // NOLINT - the sanitizer's name

// The last two bytes of the input choose what is asked for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Decoder decoder;
  if (size < 2) return 0;
  const std::span<const uint8_t> file(data, size - 2);
  const uint8_t kind = data[size - 2], corner = data[size - 1];
  constexpr DType kTypes[] = {DType::kUInt8, DType::kUInt16, DType::kFloat};
  Request request{.type = static_cast<ImageType>(kind % 5), .dtype = kTypes[kind / 5 % 3]};
  if (kind >= 128 && request.type == ImageType::kRGB && request.dtype == DType::kUInt8) request.rules = Rules::kPillow;
  try {
    const Info info = peek(file);
    if (info.height * info.width > kMaxPixelsHere) return 0;
    const Request all = whole(info, request);
    const size_t pixel_bytes = static_cast<size_t>(describe(info, request).shape[2]) * size_of(request.dtype);
    const auto pixels = decode(decoder, file, info, all, pixel_bytes);
    Request region = all;
    region.y0 = all.height * (corner % 8) / 8;
    region.x0 = all.width * (corner / 8 % 8) / 8;
    region.height = (all.height - region.y0 + 1) / 2;
    region.width = (all.width - region.x0 + 1) / 2;
    check_crop(pixels, decode(decoder, file, info, region, pixel_bytes), all, region, pixel_bytes);
  } catch (const DataError&) {
  }
  return 0;
}

// Any bytes at all: what our own JPEG decoder takes, libjpeg-turbo takes as well and makes the same pixels of; and a
// region of it is the crop of the whole.
#include <penstock/error.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "codec/codec.h"
#include "codec/jpeg/jpeg.h"
#include "codec/jpeg/sequential.h"
#include "codec/jpeg/turbo/turbo.h"

using namespace penstock;
using namespace penstock::codec;

namespace {

constexpr int64_t kMaxPixelsHere = 1 << 16;  // above, fuzzing would only be slow

void check_crop(const std::vector<uint8_t>& whole, const std::vector<uint8_t>& part, int64_t width,
                const Region& region, size_t pixel) {
  const size_t row = static_cast<size_t>(region.width) * pixel;
  for (int64_t y = 0; y < region.height; ++y) {
    const auto* expected = &whole[static_cast<size_t>((region.y0 + y) * width + region.x0) * pixel];
    if (std::memcmp(expected, &part[static_cast<size_t>(y) * row], row) != 0) std::abort();
  }
}

}  // namespace

// The last two bytes of the input choose what is asked for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static jpeg::SequentialDecoder own;
  static jpeg::TurboDecoder turbo;
  static const auto engine = jpeg::make_engine();
  if (size < 2) return 0;
  const std::vector<uint8_t> file(data, data + size - 2);
  const uint8_t corner = data[size - 1];
  const auto type = static_cast<ImageType>(data[size - 2] % 5);
  if (!jpeg::recognises(file)) return 0;
  try {
    const Info info = jpeg::peek(file);
    if (info.height <= 0 || info.width <= 0 || info.height > kMaxPixelsHere / info.width) return 0;
    const size_t pixel = engine->samples(info, type).pixel_bytes();
    const Region all{0, 0, info.height, info.width};
    std::vector<uint8_t> pixels(static_cast<size_t>(all.height * all.width) * pixel), expected(pixels.size());
    const bool whole_taken = own.decode(file, info, type, all, pixels.data());
    try {
      turbo.decode(file, info, {.type = type}, all, expected.data());
    } catch (const DataError&) {
      if (whole_taken) std::abort();
      return 0;
    }
    if (whole_taken && pixels != expected) std::abort();
    Region region{all.height * (corner % 8) / 8, all.width * (corner / 8 % 8) / 8, 0, 0};
    region.height = (all.height - region.y0 + 1) / 2;
    region.width = (all.width - region.x0 + 1) / 2;
    std::vector<uint8_t> part(static_cast<size_t>(region.height * region.width) * pixel);
    const bool part_taken = own.decode(file, info, type, region, part.data());
    if (whole_taken && !part_taken) std::abort();
    if (part_taken) check_crop(expected, part, all.width, region, pixel);
  } catch (const DataError&) {
  }
  return 0;
}

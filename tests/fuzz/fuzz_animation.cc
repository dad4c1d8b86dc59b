// The frames of any bytes at all are composed or refused with a DataError; the first of them is the picture.
#include <penstock/error.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "codec/codec.h"

using namespace penstock;
using namespace penstock::codec;

namespace {

constexpr int64_t kMaxValues = 1 << 20;  // above, fuzzing would only be slow

std::vector<std::byte> decode(Decoder& decoder, std::span<const uint8_t> file, const Info& info,
                              const Request& request) {
  // Of the exact size, so that the address sanitizer sees what is written beyond.
  std::vector<std::byte> out(static_cast<size_t>(describe(info, request).shape.volume()));
  decoder.decode(file, info, request, out.data());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Decoder decoder;
  const std::span<const uint8_t> file(data, size);
  try {
    const Info info = peek(file);
    Request request = whole(info, {.type = size % 2 ? ImageType::kRGB : ImageType::kAnyData});
    if (info.frames * info.height * info.width > kMaxValues) return 0;
    request.all_frames = true;
    const auto frames = decode(decoder, file, info, request);
    request.all_frames = false;
    const auto first = decode(decoder, file, info, request);
    if (!std::equal(first.begin(), first.end(), frames.begin())) std::abort();
  } catch (const DataError&) {
  }
  return 0;
}

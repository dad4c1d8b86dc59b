// Places and files of places from strangers: nothing is read out of bounds, and a picture that can be decoded still is.
// And places of our own: with them any file is decoded as without.
#include <penstock/error.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "codec/jpeg/checkpoints.h"
#include "codec/jpeg/encode.h"
#include "codec/jpeg/jpeg.h"
#include "codec/jpeg/sequential.h"

using namespace penstock;
using namespace penstock::codec;
using Bytes = std::vector<uint8_t>;

namespace {

constexpr size_t kMemory = size_t{16} << 20;
constexpr int64_t kMaxPixelsHere = 1 << 16;  // above, fuzzing would only be slow

std::optional<Bytes> decode(const Bytes& file, const Region& region, jpeg::Checkpoints* checkpoints) {
  static jpeg::SequentialDecoder decoder;
  static const auto engine = jpeg::make_engine();
  const Info info = jpeg::peek(file);
  const size_t pixel = engine->samples(info, ImageType::kAnyData).pixel_bytes();
  Bytes out(static_cast<size_t>(region.height * region.width) * pixel);
  if (!decoder.decode(file, info, ImageType::kAnyData, region, out.data(), checkpoints)) return std::nullopt;
  return out;
}

Region part_of(int64_t height, int64_t width, uint8_t corner) {
  Region region{height * (corner % 8) / 8, width * (corner / 8 % 8) / 8, 0, 0};
  region.height = (height - region.y0 + 1) / 2;
  region.width = (width - region.x0 + 1) / 2;
  return region;
}

void decode_any_file(const Bytes& file, uint8_t corner) {
  if (!jpeg::recognises(file)) return;
  const Info info = jpeg::peek(file);
  if (info.height <= 0 || info.width <= 0 || info.height > kMaxPixelsHere / info.width) return;
  jpeg::Checkpoints checkpoints(kMemory, {});
  const Region first = part_of(info.height, info.width, corner);
  const Region second = part_of(info.height, info.width, static_cast<uint8_t>(corner * 37));
  for (const Region& region : {first, second, first})
    if (decode(file, region, &checkpoints) != decode(file, region, nullptr)) std::abort();
}

Bytes sound_picture() {
  constexpr int64_t kHeight = 64, kWidth = 400;
  std::vector<std::byte> pixels(static_cast<size_t>(kHeight * kWidth) * 3);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::byte>(i * i >> 5);
  const TensorDesc desc{.dtype = DType::kUInt8, .shape = {kHeight, kWidth, 3}, .layout = "HWC"};
  return encode_jpeg({desc, pixels.data()}, {.quality = 90});
}

void decode_by_any_places(std::span<const uint8_t> places, uint8_t corner) {
  static const Bytes picture = sound_picture();
  jpeg::Checkpoints own(kMemory, {}), checkpoints(kMemory, {});
  decode(picture, part_of(64, 400, corner), &own);
  const auto sound = own.find(jpeg::key_of(picture)).value();
  jpeg::PackedPlaces packed(sound.begin(), sound.end());
  std::memcpy(packed.data(), places.data(), std::min(places.size(), packed.size() * sizeof(uint16_t)));
  checkpoints.add(jpeg::key_of(picture), std::move(packed));
  if (!decode(picture, part_of(64, 400, corner), &checkpoints)) std::abort();
}

void read_any_file_of_places(std::span<const uint8_t> bytes) {
  const auto path = std::filesystem::temp_directory_path() / ("penstock_fuzz_" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  try {
    jpeg::Checkpoints(kMemory, path);
    jpeg::Checkpoints(kMemory, path);  // as the first has left it
  } catch (const ArgumentError&) {
  }
  std::filesystem::remove(path);
}

}  // namespace

// The last two bytes of the input choose what is tried, and where.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::span<const uint8_t> bytes(data, size - 2);
  const uint8_t corner = data[size - 1];
  try {
    if (data[size - 2] % 16 == 0)
      read_any_file_of_places(bytes);
    else if (data[size - 2] % 2 == 0)
      decode_by_any_places(bytes, corner);
    else
      decode_any_file({bytes.begin(), bytes.end()}, corner);
  } catch (const DataError&) {
  }
  return 0;
}

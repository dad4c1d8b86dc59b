// What decoders keep of a giant: not its memory, whether it was decoded or refused.
#include <gtest/gtest.h>
#include <malloc.h>

#include <penstock/error.h>

#include "codec/jpeg/encode.h"
#include "codec/scratch.h"
#include "pictures.h"
#include "tiff_file.h"

namespace penstock::codec {
namespace {

constexpr size_t kLittle = size_t{1} << 20;

size_t bytes_in_use() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// What the decoder has taken for good after decoding the file's first pixel, or after failing to.
size_t kept_after(std::span<const uint8_t> file, bool sound) {
  Decoder decoder;
  const Request request{.type = ImageType::kYCbCr, .height = 1, .width = 1};
  const size_t before = bytes_in_use();
  if (sound)
    decode(decoder, file, request);
  else
    EXPECT_THROW(decode(decoder, file, request), DataError);
  return bytes_in_use() - before;
}

TEST(Memory, ScratchUpToALimitIsKept) {
  std::vector<uint16_t> usual(kKeptScratch / 2), giant(kKeptScratch / 2 + 1);
  giant.clear();  // memory is what counts, not what is in it
  trim(usual);
  trim(giant);
  EXPECT_EQ(usual.capacity(), kKeptScratch / 2);
  EXPECT_EQ(giant.capacity(), 0U);
}

TEST(Memory, ARowOfAGiantIsGivenBack) {
  constexpr uint32_t kWidth = kKeptScratch + 1;
  const auto file = tiff_file({.height = 1, .width = kWidth, .strip = std::vector<uint8_t>(kWidth)});
  EXPECT_LT(kept_after(file, true), kLittle);
  EXPECT_LT(kept_after(std::span(file).first(200), false), kLittle);
}

// Colours take three channels at most.
TEST(Memory, ChannelsThatNobodyAskedForTakeNone) {
  const auto file = tiff_file({.height = 500, .width = 500, .bits = 16, .samples = 64, .photometric = 2});
  Decoder decoder;
  std::vector<std::byte> out(500 * 500);
  const size_t before = bytes_in_use();
  EXPECT_THROW(decoder.decode(file, peek(file), whole(peek(file), {.type = ImageType::kGray}), out.data()), DataError);
  EXPECT_LT(bytes_in_use() - before, 2 * kLittle);
}

TEST(Memory, CoefficientsOfAProgressivePictureAreGivenBack) {
  const Picture picture = make_picture(1200, 1200, 3);
  const auto file = encode_jpeg(picture.view, {.subsampling = {1, 1}, .progressive = true});
  EXPECT_LT(kept_after(file, true), kLittle);
  EXPECT_LT(kept_after(std::span(file).first(file.size() / 2), false), kLittle);
}

}  // namespace
}  // namespace penstock::codec

#include "codec/gif/reader.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"

namespace penstock::codec::gif {
namespace {

void fail_with(int error) {
  const char* text = GifErrorString(error);
  fail<DataError>("the GIF file is damaged or cut off: {}", text ? text : "unknown error");
}

// Gray where there is no table, or behind its end.
std::array<Colour, 256> colours_of(const ColorMapObject* map, int transparent) {
  std::array<Colour, 256> colours;
  for (size_t i = 0; i < colours.size(); ++i) {
    const auto gray = static_cast<uint8_t>(i);
    colours[i] = {gray, gray, gray, 255};
    if (map && i < static_cast<size_t>(map->ColorCount))
      colours[i] = {map->Colors[i].Red, map->Colors[i].Green, map->Colors[i].Blue, 255};
  }
  if (transparent >= 0) colours[static_cast<size_t>(transparent)][3] = 0;
  return colours;
}

}  // namespace

Reader::Reader(std::span<const uint8_t> bytes) : left_(bytes) {
  int error = 0;
  gif_ = DGifOpen(this, &Reader::read, &error);
  if (!gif_) fail_with(error);
}

Reader::~Reader() { DGifCloseFile(gif_, nullptr); }

int Reader::read(GifFileType* gif, GifByteType* to, int count) {
  Reader& self = *static_cast<Reader*>(gif->UserData);
  const size_t taken = std::min(static_cast<size_t>(std::max(count, 0)), self.left_.size());
  if (taken > 0) std::memcpy(to, self.left_.data(), taken);
  self.left_ = self.left_.subspan(taken);
  return static_cast<int>(taken);
}

void Reader::check(int status) const {
  if (status == GIF_ERROR) fail_with(gif_->Error);
}

void Reader::read_extension(Frame& frame) {
  int code = 0;
  GifByteType* block = nullptr;
  check(DGifGetExtension(gif_, &code, &block));
  if (code == GRAPHICS_EXT_FUNC_CODE && block && block[0] >= 4) {
    if (block[1] & 1) frame.transparent = block[4];
    // A frame that says nothing is taken away as the one before it.
    if (const int disposal = block[1] >> 2 & 7) frame.disposal = disposal;
  }
  while (block) check(DGifGetExtensionNext(gif_, &block));
}

bool Reader::find_image(Frame& frame) {
  GifRecordType kind = UNDEFINED_RECORD_TYPE;
  for (;;) {
    if (left_.empty()) return false;  // files without a trailer are common
    check(DGifGetRecordType(gif_, &kind));
    if (kind == TERMINATE_RECORD_TYPE) return false;
    if (kind == IMAGE_DESC_RECORD_TYPE) return true;
    if (kind == EXTENSION_RECORD_TYPE) read_extension(frame);
  }
}

void Reader::read_pixels(Frame& frame) {
  const auto width = static_cast<size_t>(frame.place.width);
  frame.pixels.resize(width * static_cast<size_t>(frame.place.height));
  constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  const bool interlaced = gif_->Image.Interlace;
  for (int pass = 0; pass < (interlaced ? 4 : 1); ++pass)
    for (int64_t y = interlaced ? kFirst[pass] : 0; y < frame.place.height; y += interlaced ? kStep[pass] : 1)
      check(DGifGetLine(gif_, &frame.pixels[static_cast<size_t>(y) * width], static_cast<int>(width)));
}

bool Reader::next(Frame& frame) {
  frame.transparent = -1;
  if (!find_image(frame)) return false;
  check(DGifGetImageDesc(gif_));
  const GifImageDesc& image = gif_->Image;
  frame.place = {image.Top, image.Left, image.Height, image.Width};
  check_extents(frame.place.height, frame.place.width);
  frame.colours = colours_of(image.ColorMap ? image.ColorMap : gif_->SColorMap, frame.transparent);
  read_pixels(frame);
  return true;
}

}  // namespace penstock::codec::gif

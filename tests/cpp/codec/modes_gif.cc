#include <gif_lib.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "modes.h"

namespace penstock::codec {
namespace {

constexpr int kHeight = 29, kWidth = 33;

struct Palette {
  explicit Palette(int colours, int step = 1) : map(GifMakeMapObject(colours, nullptr)) {
    for (int i = 0; i < colours; ++i)
      map->Colors[i] = {static_cast<GifByteType>(i * 7 * step), static_cast<GifByteType>(255 - i),
                        static_cast<GifByteType>(i * 3)};
  }
  ~Palette() { GifFreeMapObject(map); }
  Palette(const Palette&) = delete;
  Palette& operator=(const Palette&) = delete;

  ColorMapObject* map;
};

int index_at(int y, int x, int frame, int colours) { return (x * x + y * 5 + frame * 11) % colours; }

struct Kind {
  int colours = 256;
  bool interlaced = false, local = false;
  int transparent = -1, disposal = 0;
};

void put_frame(GifFileType* gif, const Kind& kind, int frame, int y0, int x0) {
  GraphicsControlBlock control{
      .DisposalMode = kind.disposal, .UserInputFlag = false, .DelayTime = 3, .TransparentColor = kind.transparent};
  GifByteType extension[4];
  EGifGCBToExtension(&control, extension);
  EXPECT_TRUE(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof extension, extension));
  const Palette palette(kind.colours, 1 + frame);
  const int height = kHeight - 2 * y0, width = kWidth - x0;
  EXPECT_TRUE(EGifPutImageDesc(gif, x0, y0, width, height, kind.interlaced, kind.local ? palette.map : nullptr));
  std::vector<GifByteType> row(static_cast<size_t>(width));
  constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  for (int pass = 0; pass < (kind.interlaced ? 4 : 1); ++pass)
    for (int y = kind.interlaced ? kFirst[pass] : 0; y < height; y += kind.interlaced ? kStep[pass] : 1) {
      for (int x = 0; x < width; ++x)
        row[static_cast<size_t>(x)] = static_cast<GifByteType>(index_at(y0 + y, x0 + x, frame, kind.colours));
      EXPECT_TRUE(EGifPutLine(gif, row.data(), width));
    }
}

std::vector<uint8_t> encode(const Kind& kind, bool part) {
  std::vector<uint8_t> file;
  const auto append = [](GifFileType* gif, const GifByteType* from, int count) {
    auto& bytes = *static_cast<std::vector<uint8_t>*>(gif->UserData);
    bytes.insert(bytes.end(), from, from + count);
    return count;
  };
  int error = 0;
  GifFileType* gif = EGifOpen(&file, append, &error);
  EGifSetGifVersion(gif, true);
  const Palette palette(kind.colours);
  EXPECT_TRUE(EGifPutScreenDesc(gif, kWidth, kHeight, 8, 2, palette.map));
  put_frame(gif, kind, 0, part ? 3 : 0, part ? 5 : 0);
  put_frame(gif, kind, 1, 4, 2);
  put_frame(gif, kind, 2, 0, 7);
  EGifCloseFile(gif, &error);
  return file;
}

std::vector<uint8_t> truth(int colours) {
  std::vector<uint8_t> rgb;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const int i = index_at(y, x, 0, colours);
      for (const int value : {i * 7, 255 - i, i * 3}) rgb.push_back(static_cast<uint8_t>(value));
    }
  return rgb;
}

}  // namespace

std::vector<Mode> gif_modes() {
  std::vector<Mode> modes;
  for (const int colours : {2, 16, 256})
    for (const bool interlaced : {false, true})
      for (const bool local : {false, true})
        modes.push_back({fmt::format("{}_colours{}{}", colours, interlaced ? "_interlaced" : "", local ? "_local" : ""),
                         encode({.colours = colours, .interlaced = interlaced, .local = local}, false),
                         truth(colours)});
  for (int disposal = 0; disposal <= 3; ++disposal)
    for (const int transparent : {-1, 5})
      modes.push_back({fmt::format("part_disposal_{}{}", disposal, transparent < 0 ? "" : "_transparent"),
                       encode({.colours = 16, .transparent = transparent, .disposal = disposal}, true)});
  return modes;
}

}  // namespace penstock::codec

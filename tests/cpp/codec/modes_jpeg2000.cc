#include <openjpeg.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "modes.h"

namespace penstock::codec {
namespace {

constexpr uint32_t kHeight = 61, kWidth = 83;

struct Plane {
  uint32_t bits = 8, dy = 1, dx = 1;
  bool is_signed = false;
};

struct Picture {
  std::vector<Plane> planes;
  OPJ_COLOR_SPACE colours = OPJ_CLRSPC_UNSPECIFIED;
  uint32_t y0 = 0, x0 = 0;  // of the picture on the reference grid
};

int level(size_t c, uint32_t y, uint32_t x, uint32_t bits) {
  const uint32_t smooth = 2 * x + (c < 2 ? 1 : 3) * y / 2 + 16 * (x / 9 % 2);
  const uint32_t value = (c % 2 ? x * x * 3 + y * 19 : smooth) % 251;
  return static_cast<int>(bits >= 8 ? value << (bits - 8) | (value & ((1u << (bits - 8)) - 1)) : value >> (8 - bits));
}

uint32_t divided_up(uint32_t value, uint32_t by) { return (value + by - 1) / by; }

opj_image_t* image_of(const Picture& picture) {
  const uint32_t y1 = picture.y0 + kHeight, x1 = picture.x0 + kWidth;
  std::vector<opj_image_cmptparm_t> parts;
  for (const Plane& plane : picture.planes) {
    opj_image_cmptparm_t part{};
    part.dy = plane.dy;
    part.dx = plane.dx;
    part.y0 = picture.y0;
    part.x0 = picture.x0;
    part.h = divided_up(y1, plane.dy) - divided_up(picture.y0, plane.dy);
    part.w = divided_up(x1, plane.dx) - divided_up(picture.x0, plane.dx);
    part.prec = plane.bits;
    part.sgnd = plane.is_signed;
    parts.push_back(part);
  }
  opj_image_t* image = opj_image_create(static_cast<OPJ_UINT32>(parts.size()), parts.data(), picture.colours);
  image->y0 = picture.y0;
  image->x0 = picture.x0;
  image->y1 = y1;
  image->x1 = x1;
  for (size_t c = 0; c < parts.size(); ++c)
    for (uint32_t i = 0; i < parts[c].h * parts[c].w; ++i)
      image->comps[c].data[i] = level(c, i / parts[c].w * parts[c].dy, i % parts[c].w * parts[c].dx, parts[c].prec) -
                                (parts[c].sgnd ? 1 << (parts[c].prec - 1) : 0);
  return image;
}

std::vector<uint8_t> encode(const Picture& picture, bool boxed, const std::function<void(opj_cparameters_t&)>& choose) {
  opj_cparameters_t parameters;
  opj_set_default_encoder_parameters(&parameters);
  parameters.tcp_numlayers = 1;
  parameters.cp_disto_alloc = 1;
  parameters.tcp_mct = 0;
  parameters.numresolution = 4;
  choose(parameters);
  std::vector<uint8_t> file;
  opj_image_t* image = image_of(picture);
  opj_codec_t* codec = opj_create_compress(boxed ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
  EXPECT_TRUE(opj_setup_encoder(codec, &parameters, image));
  struct Target {
    std::vector<uint8_t>& bytes;
    size_t at = 0;
  } target{file};
  opj_stream_t* stream = opj_stream_default_create(OPJ_FALSE);
  opj_stream_set_user_data(stream, &target, nullptr);
  opj_stream_set_write_function(stream, [](void* from, OPJ_SIZE_T count, void* to) -> OPJ_SIZE_T {
    Target& t = *static_cast<Target*>(to);
    t.bytes.resize(std::max(t.bytes.size(), t.at + count));
    std::copy_n(static_cast<const uint8_t*>(from), count, t.bytes.begin() + static_cast<ptrdiff_t>(t.at));
    t.at += count;
    return count;
  });
  opj_stream_set_seek_function(stream, [](OPJ_OFF_T at, void* to) -> OPJ_BOOL {
    static_cast<Target*>(to)->at = static_cast<size_t>(at);
    return OPJ_TRUE;
  });
  opj_stream_set_skip_function(stream, [](OPJ_OFF_T count, void* to) -> OPJ_OFF_T {
    static_cast<Target*>(to)->at += static_cast<size_t>(count);
    return count;
  });
  EXPECT_TRUE(opj_start_compress(codec, image, stream) && opj_encode(codec, stream) && opj_end_compress(codec, stream));
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  opj_image_destroy(image);
  return file;
}

// Samples that cover several pixels are repeated.
std::vector<uint8_t> truth(size_t channels, uint32_t bits, uint32_t dy = 1, uint32_t dx = 1) {
  std::vector<uint8_t> rgb;
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x)
      for (size_t c = 0; c < 3; ++c) {
        const int highest = (1 << bits) - 1;
        const uint32_t first_y = c == 0 ? y : y - y % dy, first_x = c == 0 ? x : x - x % dx;
        rgb.push_back(
            static_cast<uint8_t>((level(channels < 3 ? 0 : c, first_y, first_x, bits) * 255 + highest / 2) / highest));
      }
  return rgb;
}

void add_plain(std::vector<Mode>& modes) {
  for (const size_t channels : {1, 2, 3, 4, 6})
    for (const uint32_t bits : {1, 4, 8, 12, 16}) {
      if (channels != 3 && bits != 8 && bits != 12) continue;
      const Picture picture{.planes = std::vector<Plane>(channels, Plane{bits}),
                            .colours = channels < 3 ? OPJ_CLRSPC_GRAY : OPJ_CLRSPC_SRGB};
      modes.push_back({fmt::format("{}_channels_{}_bits", channels, bits), encode(picture, channels < 5, [](auto&) {}),
                       truth(channels, bits)});
    }
}

}  // namespace

std::vector<Mode> jpeg2000_modes() {
  using Parameters = opj_cparameters_t;
  std::vector<Mode> modes;
  add_plain(modes);
  const Picture rgb{.planes = std::vector<Plane>(3), .colours = OPJ_CLRSPC_SRGB};
  const auto tiled = [](Parameters& p) {
    p.tile_size_on = OPJ_TRUE;
    p.cp_tdx = 24;
    p.cp_tdy = 19;
  };
  const auto lossy = [](Parameters& p) {
    p.irreversible = 1;
    p.tcp_mct = 1;
    p.tcp_rates[0] = 6;
  };
  modes.push_back({"transformed_colours", encode(rgb, true, [](Parameters& p) { p.tcp_mct = 1; }), truth(3, 8)});
  modes.push_back({"tiles", encode(rgb, true, tiled), truth(3, 8)});
  modes.push_back({"lossy", encode(rgb, true, lossy)});
  modes.push_back({"lossy_tiles", encode(rgb, false, [&](Parameters& p) { lossy(p), tiled(p); })});
  modes.push_back({"one_resolution", encode(rgb, true, [](Parameters& p) { p.numresolution = 1; }), truth(3, 8)});
  for (int style = 1; style <= 32; style *= 2)
    modes.push_back({fmt::format("blocks_style_{}", style),
                     encode(rgb, true,
                            [&](Parameters& p) {
                              p.mode = style;
                              p.cblockw_init = 16;
                              p.cblockh_init = 8;
                            }),
                     truth(3, 8)});
  for (const OPJ_PROG_ORDER order : {OPJ_LRCP, OPJ_RLCP, OPJ_RPCL, OPJ_PCRL, OPJ_CPRL})
    modes.push_back({fmt::format("order_{}", static_cast<int>(order)),
                     encode(rgb, false,
                            [&](Parameters& p) {
                              p.prog_order = order;
                              p.csty = 7;  // precincts and markers of packets
                              p.res_spec = 2;
                              p.prcw_init[0] = p.prch_init[0] = 64;
                              p.prcw_init[1] = p.prch_init[1] = 32;
                            }),
                     truth(3, 8)});
  const Picture moved{.planes = rgb.planes, .colours = OPJ_CLRSPC_SRGB, .y0 = 7, .x0 = 13};
  modes.push_back({"moved_on_the_grid", encode(moved, true, [](Parameters& p) {
                     p.image_offset_y0 = 7;
                     p.image_offset_x0 = 13;
                   })});
  for (const uint32_t step : {1, 2, 3})
    for (const bool is_signed : {false, true}) {
      const Plane chroma{.dy = step == 3 ? 1 : step, .dx = step, .is_signed = is_signed};
      const Picture ycc{.planes = {Plane{}, chroma, chroma}, .colours = OPJ_CLRSPC_SYCC};
      const auto steps = [](Parameters&) {};
      modes.push_back({fmt::format("ycc_step_{}{}", step, is_signed ? "_signed" : ""), encode(ycc, true, steps)});
    }
  const Plane coarse{.dy = 2, .dx = 3};
  const Picture mixed{.planes = {Plane{}, coarse, coarse}, .colours = OPJ_CLRSPC_SRGB};
  modes.push_back({"coarse_green_and_blue", encode(mixed, true, [](Parameters&) {}), truth(3, 8, 2, 3)});
  const Picture odd{.planes = {Plane{8}, Plane{12, 2, 3}, Plane{5, 3, 2, true}, Plane{1}}, .colours = OPJ_CLRSPC_SRGB};
  modes.push_back({"planes_of_all_kinds", encode(odd, false, [](Parameters&) {})});
  return modes;
}

}  // namespace penstock::codec

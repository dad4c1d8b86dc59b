#include "codec/finish.h"

#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "codec/orientation.h"
#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock::codec {
namespace {

// 32-bit integers need more digits than a float has.
template <class T>
constexpr bool kIsLong = std::integral<T> && sizeof(T) >= 4;
template <class In, class Out>
using Scale = std::conditional_t<kIsLong<In> || kIsLong<Out>, double, float>;

template <class Out>
constexpr double full_range() {
  if constexpr (std::integral<Out>) return static_cast<double>(std::numeric_limits<Out>::max());
  return 1;
}

template <class In>
double full_range_of(int bits) {
  if constexpr (!std::integral<In>) return 1;
  return static_cast<double>((int64_t{1} << (bits - (std::is_signed_v<In> ? 1 : 0))) - 1);
}

bool same_colour(const Samples& samples, ImageType type) {
  if (type == ImageType::kAnyData || type == samples.colour) return true;
  if (samples.colour != ImageType::kAnyData) return false;
  return (type == ImageType::kGray && samples.channels == 1) || (type == ImageType::kRGB && samples.channels == 3);
}

// Gathers a row that the orientation scattered.
void gather(const std::byte* from, ptrdiff_t step, int64_t count, size_t pixel_bytes, std::byte* to) {
  for (int64_t i = 0; i < count; ++i, from += step, to += pixel_bytes) std::memcpy(to, from, pixel_bytes);
}

// Red, green and blue of a pixel with any number of channels.
template <class In>
struct Rgb {
  In r, g, b;
  Rgb(const In* pixel, int channels) : r(pixel[0]), g(channels < 3 ? r : pixel[1]), b(channels < 3 ? r : pixel[2]) {}
};

template <class In>
In luma(const Rgb<In>& c) {
  using S = Scale<In, In>;
  const S sum = S(.299f) * static_cast<S>(c.r) + S(.587f) * static_cast<S>(c.g) + S(.114f) * static_cast<S>(c.b);
  if constexpr (std::is_unsigned_v<In> && sizeof(In) <= 2) return static_cast<In>(sum + .5f);
  return convert_sat<In>(sum);
}

template <class In>
void recolour_row(const In* in, int channels, int64_t count, ImageType type, In* out) {
  for (int64_t i = 0; i < count; ++i, in += channels) {
    const Rgb<In> c(in, channels);
    if (type == ImageType::kGray) {
      *out++ = channels < 3 ? c.r : luma(c);
      continue;
    }
    const bool bgr = type == ImageType::kBGR;
    *out++ = bgr ? c.b : c.r;
    *out++ = c.g;
    *out++ = bgr ? c.r : c.b;
  }
}

template <class In, class Out>
void rescale_row(const In* in, int64_t count, int bits, Out* out) {
  if constexpr (std::is_same_v<In, Out>) {
    if (bits == 8 * static_cast<int>(sizeof(In))) {
      std::memcpy(out, in, static_cast<size_t>(count) * sizeof(In));
      return;
    }
  }
  using S = Scale<In, Out>;
  const S scale = static_cast<S>(full_range<Out>() / full_range_of<In>(bits));
  for (int64_t i = 0; i < count; ++i) out[i] = convert_sat<Out>(static_cast<S>(in[i]) * scale);
}

// The offsets are 1/16 and 1/2 of the number of levels, not of the highest level: 16 and 128 for uint8, 4096 and 32768
// for uint16; what DALI gives.
template <class In, class Out>
void ycbcr_row(const In* in, int channels, int64_t count, int bits, Out* out) {
  using S = Scale<In, Out>;
  const S scale = static_cast<S>(full_range<Out>() / full_range_of<In>(bits));
  const S levels = static_cast<S>(full_range<Out>() + (std::integral<Out> ? 1 : 0));
  constexpr S kMatrix[3][3] = {{S(.25678823529), S(.50412941176), S(.09790588235)},
                               {S(-.14822289945), S(-.29099278682), S(.43921568627)},
                               {S(.43921568627), S(-.36778831435), S(-.07142737192)}};
  const S offset[3] = {levels / 16, levels / 2, levels / 2};
  for (int64_t i = 0; i < count; ++i, in += channels) {
    const Rgb<In> c(in, channels);
    for (int k = 0; k < 3; ++k) {
      const S sum = kMatrix[k][0] * static_cast<S>(c.r) + kMatrix[k][1] * static_cast<S>(c.g) +
                    kMatrix[k][2] * static_cast<S>(c.b);
      *out++ = convert_sat<Out>(sum * scale + offset[k]);
    }
  }
}

template <class In, class Out>
void finish_rows(const std::byte* stored, const Samples& samples, const Walk& way, ImageType type, Out* out) {
  const size_t pixel_bytes = samples.pixel_bytes();
  const bool scattered = way.pixel_step != static_cast<ptrdiff_t>(pixel_bytes);
  const bool recoloured = !same_colour(samples, type) && type != ImageType::kYCbCr;
  const int made = type == ImageType::kAnyData ? samples.channels : type == ImageType::kGray ? 1 : 3;
  std::vector<In> gathered(scattered ? static_cast<size_t>(way.width * samples.channels) : 0);
  std::vector<In> colours(recoloured ? static_cast<size_t>(way.width * made) : 0);
  for (int64_t y = 0; y < way.height; ++y, out += way.width * made) {
    const std::byte* from = stored + way.start + y * way.row_step;
    const In* row = reinterpret_cast<const In*>(from);
    if (scattered) {
      gather(from, way.pixel_step, way.width, pixel_bytes, reinterpret_cast<std::byte*>(gathered.data()));
      row = gathered.data();
    }
    if (type == ImageType::kYCbCr) {
      ycbcr_row(row, samples.channels, way.width, samples.bits, out);
      continue;
    }
    if (recoloured) {
      recolour_row(row, samples.channels, way.width, type, colours.data());
      row = colours.data();
    }
    rescale_row(row, way.width * made, samples.bits, out);
  }
}

}  // namespace

DType Samples::dtype() const {
  constexpr DType kUnsigned[] = {DType::kUInt8, DType::kUInt16, DType::kUInt32};
  constexpr DType kSigned[] = {DType::kInt8, DType::kInt16, DType::kInt32};
  const size_t size = sample_bytes(bits) / 2;
  return kind == SampleKind::kFloat ? DType::kFloat : kind == SampleKind::kSigned ? kSigned[size] : kUnsigned[size];
}

bool is_finished(const Samples& samples, const Request& request) {
  return request.dtype == samples.dtype() && samples.bits == 8 * static_cast<int>(sample_bytes(samples.bits)) &&
         request.type != ImageType::kYCbCr && same_colour(samples, request.type);
}

void finish(const std::byte* stored, const Samples& samples, const Region& region, int orientation,
            const Request& request, std::byte* out) {
  const Walk way = walk(region, orientation, samples.pixel_bytes());
  dispatch_among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float16, float>(request.dtype, [&](auto tag) {
    using Out = typename decltype(tag)::type;
    dispatch_among<uint8_t, uint16_t, uint32_t, int8_t, int16_t, int32_t, float>(samples.dtype(), [&](auto in) {
      using In = typename decltype(in)::type;
      finish_rows<In>(stored, samples, way, request.type, reinterpret_cast<Out*>(out));
    });
  });
}

}  // namespace penstock::codec

#include "codec/codec.h"

#include <algorithm>
#include <string>

#include "codec/engine.h"
#include "codec/finish.h"
#include "codec/foreign.h"
#include "codec/orientation.h"
#include "codec/pillow.h"
#include "codec/scratch.h"
#include "core/check.h"

namespace penstock::codec {
namespace {

int orientation_of(const Info& info, const Request& request) {
  if (request.rules == Rules::kPillow) return info.format->name == "TIFF" ? info.orientation : 1;
  return request.adjust_orientation ? info.orientation : 1;
}

int64_t channels_of(const Info& info, ImageType type) {
  if (type == ImageType::kAnyData) return info.channels;
  return type == ImageType::kGray ? 1 : 3;
}

// Height and width as shown.
Shape plane_of(const Info& info, Request request) {
  request.all_frames = false;
  const Shape shape = describe(info, request).shape;
  return {shape[0], shape[1]};
}

std::string first_bytes(std::span<const uint8_t> bytes) {
  return fmt::format("{:02x}", fmt::join(bytes.first(std::min<size_t>(bytes.size(), 8)), " "));
}

/// What `function` gives; errors in the file say what format it is of.
template <class Function>
auto naming(const FormatEntry& format, Function&& function) {
  try {
    return function();
  } catch (const DataError& error) {
    if (error.message().find(format.name) != std::string::npos) throw;
    fail<DataError>("{}: {}", format.name, error.message());
  }
}

std::string names() {
  std::string text;
  for (const FormatEntry* format : formats()) text += (text.empty() ? "" : ", ") + std::string(format->name);
  return text;
}

}  // namespace

void check_extents(int64_t height, int64_t width) {
  PENSTOCK_CHECK(height > 0 && width > 0, DataError, "the header says {} x {} pixels (height x width)", height, width);
  PENSTOCK_CHECK(height <= kMaxPixels / width, DataError,
                 "the header says {} x {} pixels (height x width); pictures above {} pixels are refused", height, width,
                 kMaxPixels);
}

Info peek(std::span<const uint8_t> bytes) {
  PENSTOCK_CHECK(!bytes.empty(), DataError, "no picture: the data is empty");
  // Formats with long signatures and with short ones do not collide, so the order of the tests does not matter.
  const auto entry = std::ranges::find_if(formats(), [&](const FormatEntry* e) { return e->recognises(bytes); });
  if (entry == formats().end()) {
    const std::string_view foreign = foreign_format(bytes);
    PENSTOCK_CHECK(foreign.empty(), DataError, "{}, which Penstock does not read; it reads {}", foreign, names());
    fail<DataError>("no picture of a known format ({}): {} bytes that begin with {}", names(), bytes.size(),
                    first_bytes(bytes));
  }
  return naming(**entry, [&] {
    const Info info = (*entry)->peek(bytes);
    check_extents(info.height, info.width);
    const int64_t pixel_bytes = info.channels * static_cast<int64_t>(sample_bytes(info.bits));
    PENSTOCK_CHECK(
        info.height * info.width <= kMaxBytes / pixel_bytes, DataError,
        "the header says {} x {} pixels (height x width) of {} channels; pictures above {} bytes are refused",
        info.height, info.width, info.channels, kMaxBytes);
    return info;
  });
}

TensorDesc describe(const Info& info, const Request& request) {
  const bool swapped = swaps_axes(orientation_of(info, request));
  const int64_t height = swapped ? info.width : info.height, width = swapped ? info.height : info.width;
  const int64_t channels = channels_of(info, request.type);
  if (!request.all_frames) return {.dtype = request.dtype, .shape = {height, width, channels}, .layout = "HWC"};
  const int64_t frame_bytes = height * width * channels * static_cast<int64_t>(size_of(request.dtype));
  PENSTOCK_CHECK(info.frames == 1 || info.frames <= kMaxBytes / frame_bytes, DataError,
                 "{} frames of {} x {} pixels (height x width): animations above {} bytes are refused; take the first "
                 "frame alone: frames=\"first\"",
                 info.frames, height, width, kMaxBytes);
  return {.dtype = request.dtype, .shape = {info.frames, height, width, channels}, .layout = "FHWC"};
}

void Engine::decode_frames(std::span<const uint8_t>, const Info& info, const Request&, const Region&, std::byte*,
                           const std::function<void()>&) {
  fail<DataError>("{} has no animations", info.format->name);
}

Request whole(const Info& info, Request request) {
  const Shape plane = plane_of(info, request);
  request.y0 = request.x0 = 0;
  request.height = plane[0];
  request.width = plane[1];
  return request;
}

Decoder::Decoder() = default;
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

void Decoder::decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, std::byte* out) {
  const Shape shape = plane_of(info, request);
  const Region shown{request.y0, request.x0, request.height, request.width};
  // Written without sums, which a hostile window could make overflow.
  PENSTOCK_CHECK(shown.y0 >= 0 && shown.x0 >= 0 && shown.height >= 0 && shown.width >= 0 && shown.y0 <= shape[0] &&
                     shown.x0 <= shape[1] && shown.height <= shape[0] - shown.y0 && shown.width <= shape[1] - shown.x0,
                 DataError, "The cropping window [{}..{}, {}..{}] is not valid for image dimensions [{}x{}]", shown.y0,
                 shown.y0 + shown.height, shown.x0, shown.x0 + shown.width, shape[0], shape[1]);
  if (shown.height == 0 || shown.width == 0) return;

  engines_.resize(formats().size());
  std::unique_ptr<Engine>& engine =
      engines_[static_cast<size_t>(std::ranges::find(formats(), info.format) - formats().begin())];
  if (!engine) engine = info.format->make_engine();
  const int orientation = orientation_of(info, request);
  const Region region = to_stored(shown, info.height, info.width, orientation);
  const TrimLater later(stored_), colours_later(colours_);
  const auto decode = [&](const Request& wanted, std::byte* to) {
    naming(*info.format, [&] { engine->decode(bytes, info, wanted, region, to); });
  };
  if (request.rules == Rules::kPillow && pillow_differs(info)) {
    Request as_stored = request;
    as_stored.type = ImageType::kAnyData;
    const Samples kept = engine->samples(info, as_stored.type);
    const auto count = static_cast<size_t>(region.height * region.width);
    stored_.resize(count * kept.pixel_bytes());
    decode(as_stored, stored_.data());
    colours_.resize(count * 3);
    pillow_rgb(stored_.data(), info, kept, count, reinterpret_cast<uint8_t*>(colours_.data()));
    finish(colours_.data(), {.channels = 3, .colour = ImageType::kRGB}, region, orientation, request, out);
    return;
  }
  const Samples samples = engine->samples(info, request.type);
  if (request.all_frames && info.frames > 1) {
    stored_.resize(static_cast<size_t>(region.height * region.width) * samples.pixel_bytes());
    const auto frame_bytes =
        static_cast<size_t>(region.height * region.width * channels_of(info, request.type)) * size_of(request.dtype);
    return naming(*info.format, [&] {
      engine->decode_frames(bytes, info, request, region, stored_.data(), [&] {
        finish(stored_.data(), samples, region, orientation, request, out);
        out += frame_bytes;
      });
    });
  }
  if (orientation == 1 && is_finished(samples, request)) {
    decode(request, out);
    return;
  }
  stored_.resize(static_cast<size_t>(region.height * region.width) * samples.pixel_bytes());
  decode(request, stored_.data());
  finish(stored_.data(), samples, region, orientation, request, out);
}

}  // namespace penstock::codec

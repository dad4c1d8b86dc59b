// The JPEG engine: our own decoder where it can, libjpeg-turbo for the rest.
#include <memory>

#include "codec/jpeg/jpeg.h"
#include "codec/jpeg/sequential.h"
#include "codec/jpeg/turbo/turbo.h"
#include "core/check.h"

namespace penstock::codec::jpeg {
namespace {

class JpegEngine : public Engine {
 public:
  Samples samples(const Info& info, ImageType type) const override;
  void decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
              std::byte* out) override;

 private:
  SequentialDecoder own_;
  TurboDecoder turbo_;
};

Samples JpegEngine::samples(const Info& info, ImageType type) const {
  if (!turbo_delivers_colours(info)) return {.channels = info.channels, .bits = info.bits};
  if (info.cmyk) return {.channels = type == ImageType::kAnyData ? 4 : 3};
  if (type == ImageType::kGray || (type == ImageType::kAnyData && info.channels == 1))
    return {.channels = 1, .colour = ImageType::kGray};
  return {.channels = 3, .colour = type == ImageType::kBGR ? ImageType::kBGR : ImageType::kRGB};
}

void JpegEngine::decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
                        std::byte* out) {
  auto* pixels = reinterpret_cast<uint8_t*>(out);
  PENSTOCK_CHECK(turbo_delivers_colours(info) || !info.cmyk || request.type == ImageType::kAnyData, DataError,
                 "{}JPEG of {} bits and four inks is decoded as ANY_DATA only", info.lossless ? "lossless " : "",
                 info.bits);
  if (!request.fast_idct && own_.decode(bytes, info, request.type, region, pixels, request.checkpoints)) return;
  turbo_.decode(bytes, info, request, region, pixels);
}

}  // namespace

std::unique_ptr<Engine> make_engine() { return std::make_unique<JpegEngine>(); }

}  // namespace penstock::codec::jpeg

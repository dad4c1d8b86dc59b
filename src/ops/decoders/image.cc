#include "ops/decoders/image_decoder.h"
#include "schema/registry.h"

namespace penstock {
namespace {

class Image final : public WindowDecoder<DecoderArgs> {
  PlaneRegion window(const Sample&, const TensorDesc& picture) const override { return whole_plane(picture); }
};

}  // namespace

[[gnu::cold]] void register_decoders_image(Registry& r) {
  auto builder = r.add<Image>("decoders.image");
  constexpr const char* kCache = "Decoded pictures are not cached.";
  describe_decoder(builder)
      .doc(
          "Decodes images: JPEG, PNG, TIFF, BMP, PNM, WebP, GIF, JPEG 2000, and AVIF and HEIF where libheif is "
          "installed. The format is told by the contents.\n\n"
          "A crop or slice that follows is pushed into the decoder, which then decodes only what is kept.")
      .alias("image_decoder")
      .alias("experimental.decoders.image")
      .ignored("cache_size", ArgType::kInt, kCache)
      .ignored("cache_threshold", ArgType::kInt, kCache)
      .ignored("cache_type", ArgType::kString, kCache)
      .ignored("cache_debug", ArgType::kBool, kCache)
      .ignored("cache_batch_copy", ArgType::kBool, kCache);
}

}  // namespace penstock

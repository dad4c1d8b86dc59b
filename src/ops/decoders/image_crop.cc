#include "ops/decoders/image_decoder.h"
#include "ops/image/crop_window.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ImageCropArgs : DecoderArgs, CropArgs {};

class ImageCrop final : public WindowDecoder<ImageCropArgs> {
 public:
  void setup() override {
    WindowDecoder::setup();
    check_crop_args(spec(), constants());
  }

 private:
  PlaneRegion window(const Sample& s, const TensorDesc& picture) const override {
    return plane_region(crop_window(args(s), picture), picture.layout);
  }
};

}  // namespace

[[gnu::cold]] void register_decoders_image_crop(Registry& r) {
  auto builder = r.add<ImageCrop>("decoders.image_crop");
  describe_decoder(builder);
  add_crop_args(builder)
      .doc("Decodes a window of fixed size of an image, without decoding what lies around it.")
      .example({{"crop_h", 10}, {"crop_w", 12}})
      .alias("image_decoder_crop")
      .alias("experimental.decoders.image_crop");
}

}  // namespace penstock

#include "ops/decoders/image_decoder.h"
#include "ops/image/random_window.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ImageRandomCropArgs : DecoderArgs, RandomWindowArgs {};

class ImageRandomCrop final : public WindowDecoder<ImageRandomCropArgs> {
 public:
  void setup() override {
    WindowDecoder::setup();
    check_random_window(constants());
  }

 private:
  PlaneRegion window(const Sample& s, const TensorDesc& picture) const override {
    Random random = s.random();
    const Extent drawn = random_window(random, picture.shape[0], picture.shape[1], args(s));
    return {drawn.y, drawn.x, drawn.y + drawn.h, drawn.x + drawn.w};
  }
};

}  // namespace

[[gnu::cold]] void register_decoders_image_random_crop(Registry& r) {
  auto builder = r.add<ImageRandomCrop>("decoders.image_random_crop");
  describe_decoder(builder)
      .doc(
          "Decodes a window of random size, shape and place; the same seed gives the windows of `random_resized_crop`.")
      .random()
      .alias("image_decoder_random_crop")
      .alias("experimental.decoders.image_random_crop");
  add_random_window_args(builder);
}

}  // namespace penstock

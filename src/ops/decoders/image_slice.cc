#include "ops/decoders/image_decoder.h"
#include "ops/image/slice_window.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ImageSliceArgs : DecoderArgs, SliceArgs {};

class ImageSlice final : public WindowDecoder<ImageSliceArgs> {
 public:
  void setup() override {
    WindowDecoder::setup();
    slice_ = SliceWindow(spec());
  }

 private:
  PlaneRegion window(const Sample& s, const TensorDesc& picture) const override {
    return plane_region(slice_(args(s), s, picture), picture.layout);
  }
  SliceWindow slice_;
};

}  // namespace

[[gnu::cold]] void register_decoders_image_slice(Registry& r) {
  auto builder = r.add<ImageSlice>("decoders.image_slice");
  describe_decoder(builder);
  add_slice_args(builder)
      .doc("Decodes the window of an image that `start`, `end` and `shape`, or two more inputs, describe.")
      .example({{"rel_start", {0.2, 0.1}}, {"rel_shape", {0.5, 0.6}}})
      .alias("image_decoder_slice")
      .alias("experimental.decoders.image_slice");
}

}  // namespace penstock

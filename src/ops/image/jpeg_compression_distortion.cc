#include <algorithm>

#include "codec/codec.h"
#include "codec/jpeg/encode.h"
#include "core/check.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct JpegDistortionArgs {
  int64_t quality = 50;
};

struct JpegDistortionState {
  codec::Decoder decoder;
};

class JpegCompressionDistortion final : public SampleOperator<JpegDistortionArgs, JpegDistortionState> {
 public:
  JpegCompressionDistortion() { traits_.goes_by_descriptors = true; }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const int last = in.shape.ndim() - 1;
    PENSTOCK_CHECK(in.dtype == DType::kUInt8, TypeError, "JPEG stores uint8, got {}; cast the input",
                   name_of(in.dtype));
    PENSTOCK_CHECK(in.shape[last] == 3, ArgumentError, "expects RGB pictures, of 3 channels; got shape {}",
                   to_string(in.shape));
    s.out(0).describe(in);
  }
  void run(Sample& s) const override {
    const TensorView &in = s.in(0).tensor, &out = s.out(0).tensor;
    const int height = in.layout.find('H');
    const Shape picture{in.shape[height], in.shape[height + 1], 3};
    const int64_t bytes = picture.volume(), pictures = height == 1 ? in.shape[0] : 1;
    // libjpeg's scale; what lies outside takes its ends, as in DALI.
    const codec::JpegOptions options{.quality = static_cast<int>(std::clamp<int64_t>(args(s).quality, 1, 100))};
    for (int64_t i = 0; i < pictures && bytes > 0; ++i) {
      const TensorDesc desc{.dtype = DType::kUInt8, .shape = picture, .layout = "HWC"};
      const std::vector<uint8_t> file = codec::encode_jpeg({desc, in.data + i * bytes}, options);
      const codec::Info info = codec::peek(file);
      state(s).decoder.decode(file, info, codec::whole(info, {}), out.data + i * bytes);
    }
  }
};

}  // namespace

[[gnu::cold]] void register_jpeg_compression_distortion(Registry& r) {
  r.add<JpegCompressionDistortion>("jpeg_compression_distortion")
      .doc(
          "Gives pictures the artefacts of JPEG: what comes out when libjpeg-turbo writes a file of that quality, with "
          "chroma of half the resolution, and it is read again.")
      .input("input", {"HWC", "FHWC"}, "RGB, uint8.")
      .output("distorted", "Shape, layout and type of the input.")
      .arg("quality", &JpegDistortionArgs::quality, "1 (lowest) to 100 (highest); what lies outside takes these ends.",
           kPerSample)
      .host_only("libjpeg-turbo writes the files, so that each level is the one that files of that quality have");
}

}  // namespace penstock

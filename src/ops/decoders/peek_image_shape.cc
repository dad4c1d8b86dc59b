#include <algorithm>
#include <array>

#include "core/check.h"
#include "core/dispatch.h"
#include "ops/decoders/image_decoder.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct PeekArgs {
  DType dtype = DType::kInt64;
  bool adjust_orientation = true;
  ImageType image_type = ImageType::kRGB;
  std::string rules = "dali";
  std::string frames = "first";
};

class PeekImageShape final : public SampleOperator<PeekArgs> {
 public:
  void setup() override {
    (void)rules_of(constants().rules);
    all_frames_ = takes_all_frames(constants().frames);
    static constexpr std::array kTypes = {DType::kInt32,  DType::kUInt32, DType::kInt64,
                                          DType::kUInt64, DType::kFloat,  DType::kFloat64};
    PENSTOCK_CHECK(std::ranges::find(kTypes, constants().dtype) != kTypes.end(), ArgumentError,
                   "the shape can be returned as int32, uint32, int64, uint64, float or double; requested: {}",
                   name_of(constants().dtype));
  }
  void infer(Sample& s) const override {
    s.out(0).describe({.dtype = args(s).dtype, .shape = {all_frames_ ? 4 : 3}, .layout = {}});
  }
  void run(Sample& s) const override {
    const codec::Request request{.type = args(s).image_type,
                                 .rules = rules_of(args(s).rules),
                                 .adjust_orientation = args(s).adjust_orientation,
                                 .all_frames = all_frames_};
    const Shape shape = codec::describe(peek_picture(s.in(0)), request).shape;
    dispatch_among<int32_t, uint32_t, int64_t, uint64_t, float, double>(args(s).dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::ranges::transform(shape, s.out(0).tensor.as<T>(), [](int64_t extent) { return static_cast<T>(extent); });
    });
  }

 private:
  bool all_frames_ = false;
};

}  // namespace

[[gnu::cold]] void register_peek_image_shape(Registry& r) {
  r.add<PeekImageShape>("peek_image_shape")
      .doc("The shape that an encoded image will have once decoded, from its header alone.")
      .devices({"cpu"})
      .host_only("reads headers of files")
      .input("encoded", {}, "A whole file: flat uint8 array.")
      .holds("jpeg")
      .output("shape", "Height, width, channels; before them the number of frames with `frames=\"all\"`.")
      .arg("dtype", &PeekArgs::dtype, "Type of the numbers: int32, uint32, int64, uint64, float or double.")
      .arg("adjust_orientation", &PeekArgs::adjust_orientation, "Take the EXIF orientation into account.")
      .arg("image_type", &PeekArgs::image_type, "Colours that the image would be decoded to.")
      .arg("rules", &PeekArgs::rules,
           "Whose rules turn the picture: `dali`, or `pillow`, which turns TIFF alone, whatever `adjust_orientation` "
           "says.")
      .arg("frames", &PeekArgs::frames, "`first` or `all`, as for `decoders.image`.")
      .alias("experimental.peek_image_shape");
}

}  // namespace penstock

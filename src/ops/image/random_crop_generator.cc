#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "ops/image/random_window.h"
#include "schema/registry.h"

namespace penstock {
namespace {

class RandomCropGenerator final : public SampleOperator<RandomWindowArgs> {
 public:
  void setup() override { check_random_window(constants()); }
  void infer(Sample& s) const override {
    const Shape& shape = s.in(0).tensor.shape;
    PENSTOCK_CHECK(shape.ndim() == 1 && (shape[0] == 2 || shape[0] == 3), ArgumentError,
                   "expects the shape of a picture, a list of height and width, or height, width and channels; got a "
                   "tensor of shape {}",
                   to_string(shape));
    for (int i = 0; i < 2; ++i) s.out(i).describe({DType::kInt32, Shape{2}, {}});
  }
  void run(Sample& s) const override {
    int64_t extents[2] = {};
    dispatch_among<int32_t, int64_t, uint32_t, uint64_t>(s.in(0).tensor.dtype, [&]<class T>(Tag<T>) {
      for (int i = 0; i < 2; ++i) extents[i] = convert_sat<int64_t>(s.in(0).tensor.as<T>()[i]);
    });
    for (const int64_t extent : extents)
      PENSTOCK_CHECK(extent >= 0 && extent <= INT32_MAX, ArgumentError, "a picture cannot have the extents {} x {}",
                     extents[0], extents[1]);
    Random random = s.random();
    const Extent window = random_window(random, extents[0], extents[1], args(s));
    auto *anchor = s.out(0).tensor.as<int32_t>(), *shape = s.out(1).tensor.as<int32_t>();
    anchor[0] = static_cast<int32_t>(window.y), anchor[1] = static_cast<int32_t>(window.x);
    shape[0] = static_cast<int32_t>(window.h), shape[1] = static_cast<int32_t>(window.w);
  }
};

}  // namespace

[[gnu::cold]] void register_random_crop_generator(Registry& r) {
  auto op = r.add<RandomCropGenerator>("random_crop_generator");
  op.doc(
        "Draws a random window of a picture, for `slice` or `decoders.image_slice`. With the same seed "
        "`random_resized_crop` and `decoders.image_random_crop` cut the same windows.")
      .input("shape", {}, "Height and width, or height, width and channels: a list of int32, int64, uint32 or uint64.")
      .holds("extents")
      .output("anchor", "First row and column, int32.")
      .output("shape", "Height and width, int32.")
      .random()
      .devices({"cpu"})
      .host_only("a few numbers a sample, which the host knows before the GPU begins");
  add_random_window_args(op);
}

}  // namespace penstock

#include <algorithm>
#include <optional>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "core/random.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct RandomMaskPixelArgs {
  int64_t foreground = 0;
  float threshold = 0;
  std::optional<int64_t> value;
};

constexpr int64_t kBlock = 4096;  // elements that are counted together

template <class T>
bool above(T x, float threshold) {
  if constexpr (sizeof(T) <= 2 || std::is_same_v<T, float>)
    return convert_sat<float>(x) > threshold;
  else
    return convert_sat<double>(x) > static_cast<double>(threshold);
}

/// The number of a random element for which `is` holds; nothing where there is none.
template <class T, class Is>
std::optional<int64_t> pick(Sample& s, Random& random, Is&& is) {
  const TensorView& mask = s.in(0).tensor;
  const T* data = mask.as<T>();
  const int64_t volume = mask.shape.volume(), blocks = (volume + kBlock - 1) / kBlock;
  uint32_t* counts = s.scratch_array<uint32_t>(static_cast<size_t>(blocks));
  uint64_t total = 0;
  for (int64_t block = 0; block < blocks; ++block) {
    uint32_t count = 0;
    const T *at = data + block * kBlock, *end = data + std::min(volume, (block + 1) * kBlock);
    for (; at < end; ++at) count += is(*at) ? 1 : 0;
    counts[block] = count;
    total += count;
  }
  if (total == 0) return {};
  uint64_t left = random.below64(total);
  int64_t block = 0;
  for (; left >= counts[block]; ++block) left -= counts[block];
  for (int64_t i = block * kBlock;; ++i)
    if (is(data[i]) && left-- == 0) return i;
}

class RandomMaskPixel final : public SampleOperator<RandomMaskPixelArgs> {
 public:
  void setup() override {
    PENSTOCK_CHECK(!spec().given("value") || !spec().given("threshold"), ArgumentError,
                   "`value` and `threshold` are mutually exclusive; give one of them");
  }
  void infer(Sample& s) const override {
    s.out(0).describe({.dtype = DType::kInt64, .shape = {s.in(0).tensor.shape.ndim()}, .layout = {}});
  }
  void run(Sample& s) const override {
    const TensorView& mask = s.in(0).tensor;
    const int64_t volume = mask.shape.volume();
    PENSTOCK_CHECK(volume > 0, ArgumentError, "a mask of the shape {} has no element to pick", to_string(mask.shape));
    Random random = s.random();
    std::optional<int64_t> picked;
    if (args(s).foreground != 0) picked = pick_foreground(s, random);
    int64_t rest = picked ? *picked : static_cast<int64_t>(random.below64(static_cast<uint64_t>(volume)));
    for (int axis = mask.shape.ndim(); axis-- > 0; rest /= mask.shape[axis])
      s.out(0).tensor.as<int64_t>()[axis] = rest % mask.shape[axis];
  }

 private:
  std::optional<int64_t> pick_foreground(Sample& s, Random& random) const {
    const TensorView& mask = s.in(0).tensor;
    return dispatch_all(mask.dtype, [&](auto tag) -> std::optional<int64_t> {
      using T = typename decltype(tag)::type;
      if (!args(s).value) return pick<T>(s, random, [t = args(s).threshold](T x) { return above(x, t); });
      const int64_t value = *args(s).value;
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        if (!std::in_range<T>(value)) return {};
        return pick<T>(s, random, [v = static_cast<T>(value)](T x) { return x == v; });
      } else {
        return pick<T>(s, random, [value](T x) { return convert_sat<double>(x) == static_cast<double>(value); });
      }
    });
  }
};

}  // namespace

[[gnu::cold]] void register_random_mask_pixel(Registry& r) {
  using Args = RandomMaskPixelArgs;
  r.add<RandomMaskPixel>("segmentation.random_mask_pixel")
      .doc(
          "The place of a random element of a mask: of any, or, with `foreground`, of one in the foreground. A mask "
          "without foreground gives any element's.")
      .input("mask", {}, "Tensor of any shape and type with at least one element.")
      .output("place", "int64: a number for each axis of the mask.")
      .arg("foreground", &Args::foreground, "Not 0: an element of the foreground.", kPerSample)
      .arg("threshold", &Args::threshold, "Elements above it are the foreground.", kPerSample)
      .arg("value", &Args::value, "Elements of this value are. Excludes `threshold`.", kPerSample)
      .random()
      .devices({"cpu"})
      .host_only("a few numbers, which the operator that crops needs on the host; DALI agrees")
      .differs("Takes all types, float16 and float64 among them.");
}

}  // namespace penstock

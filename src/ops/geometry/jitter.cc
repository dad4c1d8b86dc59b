#include "core/check.h"
#include "core/random.h"
#include "ops/geometry/displacement.h"

namespace penstock {
namespace {

struct JitterArgs : DisplacementArgs {
  int64_t degree = 2;
};

class Jitter final : public DisplacementOperator<JitterArgs, kernels::JitterMap> {
 public:
  Jitter() : DisplacementOperator(penstock::kernels::kSampledJitter) {}
  void setup() override {
    DisplacementOperator::setup();
    PENSTOCK_CHECK(constants().degree >= 0 && constants().degree < (1 << 20), ArgumentError,
                   "`nDegree` must be non-negative and below 2^20, got {}", constants().degree);
  }

 private:
  kernels::JitterMap map(Sample& s, device::Staging*) const override {
    const auto& size = state(s).all().size;
    return {.key = mix64(mix64(spec().seed, s.id().epoch), s.id().sample),
            .size = {size[0], size[1]},
            .reach = args(s).mask ? static_cast<int32_t>(args(s).degree / 2) : 0};
  }
};

}  // namespace

[[gnu::cold]] void register_jitter(Registry& r) {
  auto op = r.add<Jitter>("jitter");
  op.doc(
        "Replaces each pixel by a random one near it: up to nDegree / 2 columns and rows away, evenly, and never "
        "outside.")
      .input("input", mapped_layouts(), "uint8, int16, uint16, int32 or float.")
      .output("jittered", "Shape, layout and type of the input.")
      .arg("nDegree", &JitterArgs::degree, "Extent of the square that pixels come from, less one.")
      .devices({"gpu"})
      .random()
      .differs("The CPU has it, too. Where `nDegree` is odd the square is the one of the even number below.");
  add_displacement_args(op);
}

}  // namespace penstock

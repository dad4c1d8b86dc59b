#include <cstring>

#include "ops/elements/element_form.h"
#include "ops/region.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct CopyArgs {};

class Copy final : public SampleOperator<CopyArgs>, public ElementForm {
 public:
  Copy() {
    traits_.makes_regions = true;
    traits_.region_axes = kAnyAxis;
    program_.keeps_pixels = true;
  }
  void infer(Sample& s) const override {
    s.out(0).tensor = s.in(0).tensor;
    s.out(0).tensor.data = nullptr;
  }
  void need(Sample& s) const override { s.need(0, s.wanted(0)); }
  void run(Sample& s) const override {
    const TensorView& out = s.out(0).tensor;
    const size_t bytes = bytes_of(out, s.wanted(0));
    if (bytes > 0) std::memcpy(out.data, dense_part(s, 0, s.wanted(0)), bytes);
  }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    work.begin(held_part(s.out(0)));
    work.load(work.input(0, held_part(s.in(0)), view_in_place(s.in(0), s.out(0))));
  }
};

}  // namespace

[[gnu::cold]] void register_copy(Registry& r) {
  r.add<Copy>("copy")
      .doc("Copies the data.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "A copy in memory of its own.");
}

}  // namespace penstock

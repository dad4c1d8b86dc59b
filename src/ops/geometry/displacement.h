// Arguments that water, sphere and jitter share.
#pragma once

#include "ops/base/mapped.h"
#include "ops/image/resample_image.h"
#include "schema/registry.h"

namespace penstock {

struct DisplacementArgs {
  float fill_value = 0;
  InterpType interp_type = InterpType::kNN;
  int64_t mask = 1;
};

template <class B>
B& add_displacement_args(B& builder) {
  return builder.arg("mask", &DisplacementArgs::mask, "0: the sample stays as it is.", kPerSample)
      .arg("fill_value", &DisplacementArgs::fill_value, "Value of what lies outside of the input.")
      .arg("interp_type", &DisplacementArgs::interp_type, "INTERP_NN or INTERP_LINEAR.")
      .differs("Sequences and planes of channels are taken, and INT16, UINT16 and INT32, too.");
}

/// Operators whose results are as large as their inputs.
template <class A, class Map>
class DisplacementOperator : public MappedOperator<A, Map> {
 public:
  using MappedOperator<A, Map>::MappedOperator;
  void setup() override { sampling_of(this->constants().interp_type); }
  void infer(Sample& s) const override {
    const A& args = this->args(s);
    const TensorDesc& in = s.in(0).tensor;
    const SampledLook look{.sampling = args.mask ? sampling_of(args.interp_type) : kernels::Sampling::kNearest,
                           .border = kernels::Border::kConstant,
                           .fill = {args.fill_value}};
    s.out(0).describe(this->state(s).describe(in, in.dtype, spatial_extents(in), look));
    check_countable(this->state(s));
  }
};

}  // namespace penstock

// What operators share that make each pixel from the pixel in the same place, in channel-last layouts.
#pragma once

#include <string>
#include <vector>

#include "core/check.h"
#include "core/dispatch.h"
#include "schema/schema.h"

namespace penstock {

/// Calls fn(first pixel of the input, first pixel of the output, number of pixels) for runs that lie densely in both:
/// one run where both hold the same region, else one for each row.
template <class Fn>
void for_each_run(const Value& in, const Value& out, Fn&& fn) {
  const int h = in.tensor.layout.find('H');
  int64_t frames = 1;
  for (int i = 0; i < h; ++i) frames *= in.tensor.shape[i];
  const Region &from = in.held, &to = out.held;
  if (from == to) return fn(int64_t{0}, int64_t{0}, frames * to.height() * to.width());
  for (int64_t frame = 0; frame < frames; ++frame)
    for (int64_t y = to.y0; y < to.y1; ++y)
      fn((frame * from.height() + y - from.y0) * from.width() + to.x0 - from.x0,
         (frame * to.height() + y - to.y0) * to.width(), to.width());
}

/// Operators that keep the geometry of their input.
template <class A>
class PixelwiseOperator : public SampleOperator<A> {
 public:
  PixelwiseOperator() { this->traits_.makes_regions = true; }
  void need(Sample& s) const override { s.need(0, s.wanted(0)); }

 protected:
  /// @param dtype of the output, @param channels of the output
  static void infer_pixels(Sample& s, DType dtype, int64_t channels) {
    TensorDesc desc = s.in(0).tensor;
    desc.dtype = dtype;
    desc.shape[desc.shape.ndim() - 1] = channels;
    s.out(0).describe(desc);
  }
  static int64_t channels_in(const Sample& s) {
    const Shape& shape = s.in(0).tensor.shape;
    return shape[shape.ndim() - 1];
  }
};

/// Refuses element types that are not among Ts.
/// @throws TypeError "Unsupported input type: ..." and likewise for "output"
template <class... Ts>
void check_type(const char* which, DType dtype) {
  PENSTOCK_CHECK(((dtype == dtype_of<Ts>) || ...), TypeError, "Unsupported {} type: {}", which, name_of(dtype));
}

/// Calls fn(Tag<In>, Tag<Out>) for the types of input 0 and output 0, each among Ts.
template <class... Ts, class Fn>
void dispatch_pixels(Sample& s, Fn&& fn) {
  dispatch_among<Ts...>(s.in(0).tensor.dtype,
                        [&](auto in) { dispatch_among<Ts...>(s.out(0).tensor.dtype, [&](auto out) { fn(in, out); }); });
}

}  // namespace penstock

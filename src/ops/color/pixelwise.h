// What operators share that make each pixel from the pixel in the same place, in channel-last layouts.
#pragma once

#include <string>
#include <vector>

#include "core/check.h"
#include "core/dispatch.h"
#include "schema/schema.h"

namespace penstock {

/// Calls fn(first pixel of the input, first pixel of the output, number of pixels) for runs that lie densely in both:
/// one run where both hold the same region, else one for each row. Channels are the last axis.
template <class Fn>
void for_each_run(const Value& in, const Value& out, Fn&& fn) {
  const Region &from = in.held, &to = out.held;
  const int last = in.tensor.shape.ndim() - 2;  // the axis of columns
  bool same = true;
  int64_t pixels = 1;
  for (int axis = 0; axis <= last; ++axis) {
    same = same && from.begin(axis) == to.begin(axis) && from.end(axis) == to.end(axis);
    pixels *= to.extent(axis);
  }
  if (same) return fn(int64_t{0}, int64_t{0}, pixels);
  for (int64_t at = 0; at < pixels; at += to.extent(last)) {
    int64_t rest = at, stride = 1, first = 0;
    for (int axis = last; axis >= 0; --axis) {
      first += (to.begin(axis) - from.begin(axis) + rest % to.extent(axis)) * stride;
      rest /= to.extent(axis);
      stride *= from.extent(axis);
    }
    fn(first, at, to.extent(last));
  }
}

/// Operators that keep the geometry of their input.
template <class A>
class PixelwiseOperator : public SampleOperator<A> {
 public:
  PixelwiseOperator() {
    this->traits_.makes_regions = true;
    this->traits_.region_axes = "FDHW";
  }
  void need(Sample& s) const override {
    Region needed = s.wanted(0);
    const Shape& in = s.in(0).tensor.shape;
    if (!needed.empty()) needed.set(in.ndim() - 1, 0, in[in.ndim() - 1]);  // whose channels may be more, or fewer
    s.need(0, needed);
  }

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

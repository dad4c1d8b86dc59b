// What operators share that make each result from a window of the input's elements around its place.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "device/gpu_form.h"
#include "kernels/neighbourhood/job.h"
#include "ops/base/separable.h"

namespace penstock {

/// Extents of the window and where it lies over an element, for each data axis, outermost first.
struct WindowSize {
  int32_t taps = 1, anchor = 0;
};

/// One sample's windows.
class Neighbourhood {
 public:
  /// @param valid  only results whose window lies inside are made
  /// @throws ArgumentError for windows that do not fit
  TensorDesc describe(const TensorDesc& in, const DataAxes& axes, std::span<const WindowSize> window,
                      kernels::Border border, bool valid);
  /// What of the input the wanted part of the output reads.
  Region need(const TensorDesc& in, const Region& wanted) const;
  /// The axes z, y and x, with what is held and wanted.
  kernels::WindowAxes placed(const Value& in, const Value& out) const;
  /// All but where things lie.
  void describe(const Value& in, const Value& out, kernels::NeighbourhoodJob& job) const;
  const DataAxes& axes() const { return axes_; }
  kernels::Border border() const { return border_; }

 private:
  kernels::WindowAxis& axis(int i) { return window_[static_cast<size_t>(3 - axes_.count + i)]; }
  DataAxes axes_;
  kernels::WindowAxes window_;
  kernels::Border border_ = kernels::Border::kReflect101;
};

/// Operators that say in infer() what the window is, by state().describe().
/// @tparam S  a Neighbourhood, or derived from it
template <class A, class Job, class S = Neighbourhood>
class NeighbourhoodOperator : public SampleOperator<A, S>, public device::JobForm<Job> {
 public:
  explicit NeighbourhoodOperator(const device::Kernel<Job>& kernel) : device::JobForm<Job>(kernel) {
    this->traits_.makes_regions = true;
    this->traits_.region_axes = "FDHW";
  }
  void need(Sample& s) const final {
    const Neighbourhood& window = this->state(s);
    s.need(0, window.need(s.in(0).tensor, s.wanted(0)));
  }
  bool reads(int) const final { return true; }
  size_t scratch_size(const std::byte*) const final { return 0; }
};

/// The border of that name, in letters of any case: "constant", "clamp" or "replicate", "reflect_1001" or "reflect",
/// "reflect_101", "wrap". @throws ArgumentError that names the argument
kernels::Border border_named(const char* arg, std::string_view name);

/// Calls fn(held part of the input, part of the output) of each picture or volume of the sample, on the host.
template <class Fn>
void for_each_picture(const DataAxes& axes, const Value& in, const Value& out, Fn&& fn) {
  const int64_t pictures = out.held.outer(axes.first);
  const int64_t count = cut(out.tensor, out.held).shape.volume() / std::max<int64_t>(pictures, 1);
  if (count == 0) return;
  const int64_t held = cut(in.tensor, in.held).shape.volume() / pictures;
  for (int64_t i = 0; i < pictures; ++i)
    fn(i, in.tensor.data + i * held * static_cast<int64_t>(size_of(in.tensor.dtype)),
       out.tensor.data + i * count * static_cast<int64_t>(size_of(out.tensor.dtype)));
}

}  // namespace penstock

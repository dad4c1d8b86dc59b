// Base of operators that convolve images and volumes with one window of weights an axis.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/check.h"
#include "device/gpu_form.h"
#include "kernels/convolve/convolve.h"
#include "kernels/convolve/job.h"
#include "ops/region.h"
#include "schema/registry.h"

namespace penstock {

/// The axes of a tensor along which windows lie: all but frames and channels.
struct DataAxes {
  int first = 0, count = 0;
  int64_t outer = 1;     ///< frames and channel planes before them
  int64_t channels = 1;  ///< elements of a pixel behind them
  DataAxes() = default;
  /// @throws ArgumentError for no axis, more than three, or channels between them
  explicit DataAxes(const TensorDesc& desc);
};

/// One window for each data axis, outermost first; an empty one leaves its axis as it is.
using Windows = std::array<std::vector<float>, 3>;

struct SeparableState {
  DataAxes axes;
  std::vector<Windows> terms;  ///< convolutions whose sum is the result
  kernels::Convolution convolution;
};

/// The type that was asked for: the input's, or FLOAT. @throws ArgumentError for others
DType convolved_type(const std::optional<DType>& dtype, DType input);
/// What of the input the wanted part of the output reads.
Region convolved_need(const SeparableState& state, const TensorDesc& desc, const Region& wanted);
/// Writes what output 0 holds.
void run_convolution(Sample& s, SeparableState& state);

/// Convolution on a GPU.
class SeparableForm : public device::JobForm<kernels::ConvolveJob, kernels::ConvolveParameters> {
 public:
  SeparableForm() : JobForm(kernels::kConvolve) {}
  bool reads(int) const final { return true; }
  size_t scratch_size(const std::byte* job) const final;
  void connect(std::byte* job, const Places& places) const final;
  void launch(const device::Launch& launch) const final;

 protected:
  virtual const SeparableState& state_of(const Sample& s) const = 0;

 private:
  void describe(Sample& s, device::Staging& staging, kernels::ConvolveJob& job) const final;
};

template <class A>
class SeparableOperator : public SampleOperator<A, SeparableState>, public SeparableForm {
 public:
  SeparableOperator() {
    this->traits_.makes_regions = true;
    this->traits_.region_axes = "FDHW";
  }
  void infer(Sample& s) const override {
    TensorDesc desc = s.in(0).tensor;
    SeparableState& state = this->state(s);
    state.axes = DataAxes(desc);
    windows(s, state.axes.count, state.terms);
    desc.dtype = convolved_type(this->args(s).dtype, desc.dtype);
    s.out(0).describe(desc);
  }
  void need(Sample& s) const final { s.need(0, convolved_need(this->state(s), s.in(0).tensor, s.wanted(0))); }
  void run(Sample& s) const final { run_convolution(s, this->state(s)); }

 protected:
  /// Sets the terms' windows, each of an odd number of weights. @throws ArgumentError for arguments out of range
  virtual void windows(const Sample& s, int axes, std::vector<Windows>& terms) const = 0;

  /// The value of an argument for one of `axes` data axes; one value stands for all.
  template <class T>
  static T along(const char* name, const std::vector<T>& values, int axis, int axes, T usual) {
    if (values.empty()) return usual;
    PENSTOCK_CHECK(values.size() == 1 || static_cast<int>(values.size()) == axes, ArgumentError,
                   "`{}` needs one value, or one for each of {} axes; got {}", name, axes, values.size());
    return values[values.size() == 1 ? 0 : static_cast<size_t>(axis)];
  }

 private:
  const SeparableState& state_of(const Sample& s) const final { return this->state(s); }
};

}  // namespace penstock

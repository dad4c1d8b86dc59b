// What all operators that resample share: filter arguments, and the resampling of tensors of any layout whose spatial
// axes are adjacent.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/gpu_form.h"
#include "kernels/resample/job.h"
#include "kernels/resample/resample.h"
#include "ops/elements/element_form.h"
#include "ops/geometry/moves_pixels.h"
#include "ops/image/resize_size.h"
#include "schema/schema.h"

namespace penstock {

struct FilterArgs {
  InterpType interp_type = InterpType::kLinear;
  std::optional<InterpType> min_filter, mag_filter;
  bool antialias = true;
  std::optional<DType> dtype;
};

/// Describes the arguments of FilterArgs, from which the operator's own arguments derive.
template <class B>
B& add_filter_args(B& builder) {
  return builder
      .arg("interp_type", &FilterArgs::interp_type, "Filter, unless `min_filter` or `mag_filter` says otherwise.",
           kPerSample)
      .arg("min_filter", &FilterArgs::min_filter, "Filter along axes that shrink.", kPerSample)
      .arg("mag_filter", &FilterArgs::mag_filter, "Filter along axes that grow.", kPerSample)
      .arg("antialias", &FilterArgs::antialias,
           "Widens filters along axes that shrink, so that no detail too fine for the result folds back into it.")
      .arg("dtype", &FilterArgs::dtype, "Type of the result: the input's, or FLOAT.")
      .ignored("minibatch_size", ArgType::kInt, "Samples are resampled one by one.")
      .ignored("temp_buffer_hint", ArgType::kInt, "Buffers grow as needed and stay.")
      .ignored("bytes_per_sample_hint", ArgType::kIntList, "Buffers grow as needed and stay.");
}

/// Layouts that can be resampled in two dimensions, and in two or three.
Names resample_image_layouts();
Names resample_layouts();

/// The spatial axes of a tensor and what lies around them.
struct SpatialAxes {
  int first = 0, count = 0;
  int64_t outer = 1;     ///< frames and channel planes before them
  int64_t channels = 1;  ///< elements of a pixel behind them
  /// @throws ArgumentError when the layout has no spatial axes or others between them.
  explicit SpatialAxes(const TensorDesc& desc);
};
/// Extents of the spatial axes in the layout's order.
Shape spatial_extents(const TensorDesc& desc);

/// One sample's resampling. Kept by workers from sample to sample for the weights and buffers that it holds.
class ImageResample {
 public:
  /// Describes the resampling of `in` to `sizes` and returns what comes out.
  /// @throws TypeError for types that cannot be resampled, ArgumentError for an impossible result.
  TensorDesc describe(const TensorDesc& in, std::span<const AxisSize> sizes, const FilterArgs& args);
  /// From now on only elements [begin, begin + extent) of each axis are the output; may stick out of it.
  /// Returns what comes out.
  TensorDesc crop(std::span<const int64_t> begin, std::span<const int64_t> extent);
  /// Turns spatial axis i around, cropping included.
  void flip(int axis);
  /// Where the picture's places go. @throws ArgumentError for volumes
  PixelMap pixel_map() const;
  /// The part of the input that making `wanted` of the output takes.
  Region source(const TensorDesc& in, const Region& wanted);
  /// Makes out.held from in.held.
  void run(Sample& s, const Value& in, Value& out);
  /// The same for a GPU.
  void describe(const Value& in, const Value& out, device::Staging& staging, kernels::ResampleJob& job);
  void compile(const Value& in, const Value& out, device::Staging& staging, ElementWork& work);

 private:
  /// Where the pixels of an axis of the result come from: first pixels, counted from `held`, and weights.
  kernels::ResampleAxis put(const kernels::AxisGeometry& geometry, int64_t held, device::Staging& staging);
  /// The same for a program, whose tables a GPU makes where there is a formula.
  kernels::TapAxis tap_axis(const kernels::AxisGeometry& geometry, int64_t held, device::Staging& staging,
                            ElementWork& work);
  /// Spatial axis i.
  kernels::AxisGeometry& axis(kernels::Geometry& of, int i) const {
    return i == 0 && count_ == 3 ? of.z : i == count_ - 2 ? of.y : of.x;
  }
  kernels::AxisGeometry& axis(int i) { return axis(full_, i); }
  kernels::Geometry part(const Region& wanted) const;
  /// First of the planes along z that are held.
  int64_t first_plane(const Region& held) const { return count_ == 3 ? held.begin(first_) : 0; }
  PlaneRegion rows_and_columns(const Region& held) const;
  kernels::Geometry full_;
  TensorDesc out_;
  int first_ = 0, count_ = 2;
  bool empty_ = false;
  kernels::Resampler resampler_;
  kernels::Axis axis_;  // whose tables a GPU gets
};

/// Operators that resample; how is what they say in infer().
template <class A>
class ResampleOperator : public SampleOperator<A, ImageResample>, public ElementForm, public MovesPixels {
 public:
  ResampleOperator() {
    this->traits_.makes_regions = true;
    this->traits_.region_axes = "FDHW";
    program_ = {.alone = &resampling_, .leads = {}, .operands = 4};  // each pixel is read many times: no lead
  }
  PixelMap pixel_map(const Sample& s) const final { return this->state(s).pixel_map(); }
  void need(Sample& s) const final { s.need(0, this->state(s).source(s.in(0).tensor, s.wanted(0))); }
  void run(Sample& s) const override { this->state(s).run(s, s.in(0), s.out(0)); }
  bool reads(int) const final { return true; }
  void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk&) const final {
    this->state(s).compile(s.in(0), s.out(0), staging, work);
  }

 private:
  class Resampling final : public device::JobForm<kernels::ResampleJob> {
   public:
    explicit Resampling(const ResampleOperator& op) : JobForm(kernels::kResample), op_(op) {}

   private:
    void describe(Sample& s, device::Staging& staging, kernels::ResampleJob& job) const override {
      op_.state(s).describe(s.in(0), s.out(0), staging, job);
    }
    const ResampleOperator& op_;
  };
  const Resampling resampling_{*this};
};

}  // namespace penstock

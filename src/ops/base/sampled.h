// What operators share that look pictures and volumes up at places which an affine map says: arguments, and both ways
// to run.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "device/gpu_form.h"
#include "kernels/sampled/job.h"
#include "ops/geometry/moves_pixels.h"
#include "ops/transforms/affine.h"
#include "schema/schema.h"

namespace penstock {

struct SampledArgs {
  std::optional<DType> dtype;
  std::optional<float> fill_value;
  InterpType interp_type = InterpType::kLinear;
  std::vector<float> size;
};

/// Describes the arguments of SampledArgs, from which the operator's own arguments derive, and what follows from them.
template <class B>
B& add_sampled_args(B& builder) {
  return builder
      .arg("size", &SampledArgs::size, "Extents of the result in the layout's order, without channels: rows, columns.",
           kPerSample)
      .arg("fill_value", &SampledArgs::fill_value,
           "Value of what lies outside of the input. Without it the input's border goes on.")
      .arg("interp_type", &SampledArgs::interp_type, "INTERP_NN or INTERP_LINEAR.")
      .arg("dtype", &SampledArgs::dtype, "Type of the result: the input's, or FLOAT.")
      .arg("output_dtype", &SampledArgs::dtype, "Older name of `dtype`.", kHidden)
      .tolerance(1)
      .differs("`dtype` is the input's type or FLOAT; DALI also converts FLOAT to UINT8, INT16 and INT32.")
      .differs("The input may be of UINT16, too.");
}

/// Layouts of pictures and volumes, alone or as frames.
Names sampled_layouts();

/// @throws ArgumentError for others than INTERP_NN and INTERP_LINEAR
kernels::Sampling sampling_of(InterpType interp);

/// Extents of the spatial axes of the result, in the layout's order: those asked for, or `usual` where that is not
/// given.
/// @throws ArgumentError for extents that are none, and for another number of them
Shape sampled_size(const std::vector<float>& asked_size, const Shape& usual);

/// How elements are looked up, whatever the map.
struct SampledLook {
  kernels::Sampling sampling = kernels::Sampling::kLinear;
  kernels::Border border = kernels::Border::kConstant;
  std::vector<float> fill;  ///< one value, or one per channel; none: zero
};

/// One sample's source and result, without the map between them.
class SampledFrame {
 public:
  /// Describes a result of `size` (in the layout's order).
  /// @throws TypeError for types that no kernel has, ArgumentError for what cannot be made
  TensorDesc describe(const TensorDesc& in, DType dtype, const Shape& size, const SampledLook& look);
  /// All but where things lie.
  template <class Map>
  kernels::SampledJob<Map> job(const Value& in, const Value& out, const Map& map) const {
    const Region made = empty_ ? Region() : out.held;
    kernels::SampledTarget part = target(made);
    if (source_.ndim == 2) part.first[2] = first_frame(out.tensor, made);
    return {.source = source(in), .target = part, .map = map, .frames = static_cast<int32_t>(made.outer(first_))};
  }
  kernels::SampledSource source(const Value& in) const;
  /// Of each frame.
  kernels::SampledTarget target(const Region& wanted) const;
  /// What lies between `begin` and `end` of each axis x, y and z, of the frames that are wanted.
  Region needed(const TensorDesc& in, const Region& wanted, const int64_t (&begin)[kernels::kSampledAxes],
                const int64_t (&end)[kernels::kSampledAxes]) const;
  /// The same of whole frames.
  Region frames_needed(const TensorDesc& in, const Region& wanted) const;
  const kernels::SampledSource& all() const { return source_; }
  const kernels::SampledTarget& result() const { return target_; }
  int32_t frames() const { return frames_; }
  /// Nothing is made.
  bool empty() const { return empty_; }
  /// Per channel; null where it is zero.
  const float* fill() const { return fill_.empty() ? nullptr : fill_.data(); }
  const float* staged_fill(device::Staging& staging) const {
    return fill_.empty() ? nullptr : staging.put(std::span<const float>(fill_));
  }

 private:
  /// The tensor's axis that is x, y or z.
  int at(int axis) const { return first_ + source_.ndim - 1 - axis; }
  int32_t first_frame(const TensorDesc& out, const Region& made) const;
  kernels::SampledSource source_;
  kernels::SampledTarget target_;
  int first_ = 0;  // axis behind frames and channel planes
  int32_t frames_ = 1;
  std::vector<float> fill_;
  bool empty_ = false;
};

/// One sample's lookup by an affine map.
class SampledPlan {
 public:
  /// Describes a result of `size` (in the layout's order), whose places `to_source` maps to the input's: axes x, y, z.
  /// @throws TypeError for types that no kernel has, ArgumentError for what cannot be made
  TensorDesc describe(const TensorDesc& in, const Shape& size, const Affine& to_source, const SampledArgs& args);
  /// The part of the input that making `wanted` of the output takes.
  Region source(const TensorDesc& in, const Region& wanted) const;
  /// Makes out.held from in.held.
  void run(const Value& in, Value& out) const;
  /// All but where things lie.
  kernels::SampledJob<kernels::AffineMap> job(const Value& in, const Value& out) const {
    return frame_.job(in, out, map_);
  }
  const SampledFrame& frame() const { return frame_; }
  /// Where the picture's places go. @throws ArgumentError for volumes, and for maps without an inverse
  PixelMap pixel_map() const;

 private:
  SampledFrame frame_;
  kernels::AffineMap map_;
};

/// Operators that say in infer() where elements of the result come from, by SampledPlan::describe().
template <class A>
class SampledOperator : public SampleOperator<A, SampledPlan>,
                        public device::JobForm<kernels::SampledJob<kernels::AffineMap>>,
                        public MovesPixels {
  using Job = penstock::kernels::SampledJob<penstock::kernels::AffineMap>;

 public:
  SampledOperator() : JobForm(penstock::kernels::kSampledAffine) {
    this->traits_.makes_regions = true;
    this->traits_.region_axes = "FDHW";
  }
  void setup() override { sampling_of(this->constants().interp_type); }
  PixelMap pixel_map(const Sample& s) const final { return this->state(s).pixel_map(); }
  void need(Sample& s) const final { s.need(0, this->state(s).source(s.in(0).tensor, s.wanted(0))); }
  void run(Sample& s) const final { this->state(s).run(s.in(0), s.out(0)); }

  bool reads(int input) const final { return input == 0; }
  size_t scratch_size(const std::byte*) const final { return 0; }
  void connect(std::byte* job, const Places& places) const final {
    Job& described = *reinterpret_cast<Job*>(job);
    described.source.in = places.in[0];
    described.target.out = places.out;
  }
  void launch(const device::Launch& launch) const final { JobForm::launch(launch); }

 private:
  void describe(Sample& s, device::Staging& staging, Job& job) const final {
    const SampledPlan& plan = this->state(s);
    job = plan.job(s.in(0), s.out(0));
    job.source.fill = plan.frame().staged_fill(staging);
  }
};

}  // namespace penstock

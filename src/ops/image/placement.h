// How a window of a tensor becomes an output: the common ground of crop, slice, flip and crop_mirror_normalize.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/check.h"
#include "core/convert.h"
#include "device/gpu_form.h"
#include "kernels/gather/gather.h"
#include "kernels/gather/job.h"
#include "ops/elements/element_form.h"
#include "ops/geometry/moves_pixels.h"
#include "ops/image/crop_window.h"
#include "ops/image/out_of_bounds.h"
#include "schema/schema.h"

namespace penstock {

struct Placement {
  CropWindow window;  ///< per axis of the input
  OutOfBounds policy = OutOfBounds::kError;
  std::array<bool, kMaxDims> mirrored{};  ///< axes of the input whose window is read backwards
  std::array<int, kMaxDims> order{};      ///< axis of the input that each axis of the output shows
  int64_t channels = 0;                   ///< extent of the output's channel axis, if it is padded; 0: the window's
  DType dtype = DType::kNone;             ///< of the output
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// Layouts of images, volumes and sequences that windows are cut out of.
Names image_layouts();

/// Types that crop and slice convert to: the input's own, FLOAT, FLOAT16 and UINT8.
inline constexpr const char* kWindowDtypeDoc =
    "Type of the output: FLOAT, FLOAT16 or UINT8; the input's when not given. Fractions are dropped.";
/// @throws ArgumentError "Not supported output type: ..."
void check_window_dtype(const std::optional<DType>& dtype);

/// Describes the output type of a window, under its name and DALI's older one, and what DALI ignores too.
template <class B, class Args>
B& add_window_dtype(B& builder, std::optional<DType> Args::*dtype) {
  return builder.arg("dtype", dtype, kWindowDtypeDoc)
      .arg("output_dtype", dtype, "Older name of `dtype`.", kHidden)
      .ignored("image_type", ArgType::kImageType, "Without meaning in DALI, too.", kDeprecated)
      .differs(
          "`fill_values` are kept in the range of the output's type (DALI wraps: -300 becomes 212 as UINT8), and "
          "integers on their way to FLOAT16 go to the even one of two neighbours (DALI's away from zero).")
      .differs("`dtype` is FLOAT, FLOAT16, UINT8 or not given; DALI also takes the input's own.")
      .differs("Infinities and NaN stay what they are in FLOAT16; DALI makes infinities 65504.");
}

/// A placement that keeps everything as it is; for operators to change what they are about.
Placement placed_whole(const TensorDesc& input);

/// The output's descriptor.
TensorDesc placed(const Placement& placement, const TensorDesc& input);

/// Where the picture's places go.
PixelMap placed_map(const Placement& placement, const TensorDesc& input);

/// The part of the input that the `wanted` part of the output is read from; empty when it is fill values alone.
Region placed_need(const Placement& placement, const TensorDesc& input, const Region& wanted);

/// What passes from infer to run; kept by each worker, so that nothing is allocated once sizes have settled.
struct PlacedState {
  Placement placement;
  kernels::GatherMap map;
  struct Mapped {
    Placement placement;
    TensorDesc input;
    Region held, wanted;
    friend bool operator==(const Mapped&, const Mapped&) = default;
  };
  std::optional<Mapped> mapped;  // what `map` was made for: of small pictures it costs more than the pixels
  int64_t map_number = 0;        // maps made so far
  std::vector<int32_t> offsets;  // of one axis, on their way to a GPU
  std::vector<float> fills;      // where they are not all given
};

/// The fill values that the policy asks for: none unless it is to pad. Channels that are added to those of the window
/// are filled with 0 where the values are one per channel of the window.
/// @throws ArgumentError for several values where the input has no channel axis
std::span<const float> used_fills(PlacedState& state, const TensorDesc& input, const std::vector<float>& fill_values);

/// @throws ArgumentError for several values that are not one per channel of the output; 0 channels: nothing is filled
void check_fills(std::span<const float> fills, int64_t channels);

/// Maps what output 0 holds to what input 0 holds.
const kernels::GatherMap& map_sample(Sample& s, PlacedState& state);

/// Describes to a GPU where the elements of output 0 come from.
/// @throws ArgumentError for more axes or elements than a launch can count
void describe_placed(Sample& s, PlacedState& state, std::span<const float> fills, device::Staging& staging,
                     kernels::GatherJob& job);

/// Where the elements of output 0 come from, if the window lies inside of the input.
ElementView placed_view(Sample& s, const Placement& placement);

/// Writes what output 0 holds, converted to the output's type.
void run_placed(Sample& s, PlacedState& state, std::span<const float> fills);

/// Drops the fraction and clamps: how DALI's windows convert elements and fill values, unlike all its arithmetic.
template <class To, class From>
To truncate_sat(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return convert_sat<To>(std::trunc(value));
  } else if constexpr (is_small_float<From>) {
    return truncate_sat<To>(static_cast<float>(value));
  } else {
    return convert_sat<To>(value);
  }
}

/// The fill values as elements: one per channel of the map.
/// @throws ArgumentError for several values that are not one per channel of the output
template <class Out>
std::span<const Out> convert_fills(Sample& s, std::span<const float> fills, int64_t channels) {
  check_fills(fills, channels);
  const auto n = static_cast<size_t>(channels);
  Out* values = s.scratch_array<Out>(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = fills.empty() ? Out{} : truncate_sat<Out>(fills[fills.size() == 1 ? 0 : i]);
  return {values, n};
}

/// Operators whose output is a window of their input; which one is what they say in place().
template <class A, class S = PlacedState>
class PlacedOperator : public SampleOperator<A, S>, public ElementForm, public MovesPixels {
 public:
  PlacedOperator() {
    this->traits_.makes_regions = this->traits_.goes_by_descriptors = true;
    this->traits_.region_axes = "*C";  // means, deviations and fill values are those of all channels
    program_ = {.alone = &gathering_, .keeps_pixels = true, .instructions = 4};
  }
  void infer(Sample& s) const final {
    PlacedState& state = this->state(s);
    state.placement = place(s);
    s.out(0).describe(placed(state.placement, s.in(0).tensor));
  }
  PixelMap pixel_map(const Sample& s) const final { return placed_map(this->state(s).placement, s.in(0).tensor); }
  void need(Sample& s) const final { s.need(0, placed_need(this->state(s).placement, s.in(0).tensor, s.wanted(0))); }
  void run(Sample& s) const override {
    PlacedState& state = this->state(s);
    run_placed(s, state, used_fills(state, s.in(0).tensor, fill_values(s)));
  }
  void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk&) const final {
    work.begin(held_part(s.out(0)));
    work.load(work.input(0, held_part(s.in(0)), placed_view(s, this->state(s).placement)));
    change(s, staging, work);
  }
  bool reads(int) const final { return true; }

 protected:
  virtual Placement place(const Sample& s) const = 0;
  /// How a program changes elements, and how a GatherJob does.
  virtual void change(Sample& s, device::Staging&, ElementWork& work) const {
    const DType dtype = s.out(0).tensor.dtype;
    if (is_floating(work.type()) && !is_floating(dtype)) {
      work.convert(DType::kFloat64);
      work.add({.step = kernels::Step::kTruncate}, DType::kFloat64);
    }
    work.convert(dtype);
  }
  virtual void change(Sample&, device::Staging&, kernels::GatherJob& job) const { job.truncate = true; }
  /// What lies outside of the input, per channel; empty: zero.
  virtual const std::vector<float>& fill_values(const Sample& s) const = 0;

  OutOfBounds policy() const { return policy_; }
  /// What is filled with a value is not loaded by a program.
  void set_policy(OutOfBounds policy) {
    policy_ = policy;
    program_.joins = policy == OutOfBounds::kError || policy == OutOfBounds::kTrim;
  }

 private:
  class Gathering final : public device::JobForm<kernels::GatherJob> {
   public:
    explicit Gathering(const PlacedOperator& op) : JobForm(kernels::kGather), op_(op) {}

   private:
    void describe(Sample& s, device::Staging& staging, kernels::GatherJob& job) const override {
      PlacedState& state = op_.state(s);
      describe_placed(s, state, used_fills(state, s.in(0).tensor, op_.fill_values(s)), staging, job);
      op_.change(s, staging, job);
    }
    const PlacedOperator& op_;
  };
  const Gathering gathering_{*this};
  OutOfBounds policy_ = OutOfBounds::kError;
};

}  // namespace penstock

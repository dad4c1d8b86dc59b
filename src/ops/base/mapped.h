// What operators share that look pictures up at places which a map says that is not affine.
#pragma once

#include <string_view>

#include "core/check.h"
#include "kernels/sampled/maps.h"
#include "ops/base/sampled.h"

namespace penstock {

/// Operators that say in infer(), by frame().describe(), what the result is, and in map(), where it comes from.
template <class A, class Map>
class MappedOperator : public SampleOperator<A, SampledFrame>, public device::JobForm<kernels::SampledJob<Map>> {
  using Job = penstock::kernels::SampledJob<Map>;

 public:
  explicit MappedOperator(const device::Kernel<Job>& kernel) : device::JobForm<Job>(kernel) {
    this->traits_.makes_regions = true;
    this->traits_.region_axes = "FHW";
  }
  void need(Sample& s) const final { s.need(0, this->state(s).frames_needed(s.in(0).tensor, s.wanted(0))); }
  void run(Sample& s) const final {
    Job job = this->state(s).job(s.in(0), s.out(0), Map{});
    job.map = map(s, nullptr);
    place_map(s, job);
    job.source.in = s.in(0).tensor.data;
    job.source.fill = this->state(s).fill();
    job.target.out = s.out(0).tensor.data;
    penstock::kernels::run_mapped(job, s.in(0).tensor.dtype);
  }

  size_t scratch_size(const std::byte*) const final { return 0; }
  void connect(std::byte* memory, const device::GpuForm::Places& places) const override {
    Job& job = *reinterpret_cast<Job*>(memory);
    job.source.in = places.in[0];
    job.target.out = places.out;
  }
  void launch(const device::Launch& launch) const final { device::JobForm<Job>::launch(launch); }

 protected:
  /// The map of what output 0 holds. @param staging  takes tables that a GPU is to read; null: the host reads them
  virtual Map map(Sample& s, device::Staging* staging) const = 0;
  /// Says where on the host inputs lie that the map reads.
  virtual void place_map(Sample&, Job&) const {}

 private:
  void describe(Sample& s, device::Staging& staging, Job& job) const final {
    job = this->state(s).job(s.in(0), s.out(0), Map{});
    job.map = map(s, &staging);
    job.source.fill = this->state(s).staged_fill(staging);
  }
};

/// Places of these maps are counted in single precision. @throws ArgumentError for pictures that are larger
inline void check_countable(const SampledFrame& frame) {
  constexpr int32_t kMost = 1 << 23;
  for (int axis = 0; axis < 2; ++axis)
    PENSTOCK_CHECK(frame.all().size[axis] <= kMost && frame.result().extent[axis] <= kMost && frame.frames() <= kMost,
                   ArgumentError, "pictures of more than {} rows, columns or frames are not looked up by this operator",
                   kMost);
}

/// How far a place whose first pixel's centre is the origin lies from ours, whose is at .5. @throws ArgumentError
inline double origin_shift(std::string_view pixel_origin) {
  PENSTOCK_CHECK(pixel_origin == "corner" || pixel_origin == "center", ArgumentError,
                 "`pixel_origin` must be \"corner\" or \"center\", got \"{}\"", pixel_origin);
  return pixel_origin == "center" ? 0.5 : 0.0;
}

/// Layouts of pictures that can be looked up, alone or as frames.
inline Names mapped_layouts() { return {"HWC", "FHWC", "HW", "CHW", "FCHW"}; }

}  // namespace penstock

// What operators share that give an element of those under a rectangle of the picture.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/check.h"
#include "core/dispatch.h"
#include "ops/base/neighbourhood.h"
#include "schema/registry.h"

namespace penstock {

/// Layouts of pictures, alone or as frames.
inline Names picture_layouts() { return {"HW", "HWC", "FHWC", "CHW", "FCHW"}; }

/// A width and a height, from one value for both or from two. @throws ArgumentError for another number of them
inline std::array<int64_t, 2> width_and_height(const char* arg, const std::vector<int64_t>& values) {
  PENSTOCK_CHECK(values.size() == 1 || values.size() == 2, ArgumentError,
                 "`{}` needs one value, or two: along x and along y; got {}", arg, values.size());
  return {values.front(), values.back()};
}

/// Operators that say in infer() what the window is, by infer_window().
template <class A, class Job>
class RankOperator : public NeighbourhoodOperator<A, Job> {
 public:
  explicit RankOperator(const device::Kernel<Job>& kernel) : NeighbourhoodOperator<A, Job>(kernel) {
    this->traits_.goes_by_descriptors = true;
  }

 protected:
  /// @param width, height  extents of the window, and x, y the place in it that lies over an element
  void infer_window(Sample& s, WindowSize along_x, WindowSize along_y, kernels::Border border) const {
    const TensorDesc& in = s.in(0).tensor;
    dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float>(in.dtype, [](auto) {});
    const WindowSize window[] = {along_y, along_x};
    s.out(0).describe(this->state(s).describe(in, DataAxes(in), window, border, false));
  }
  void describe(Sample& s, device::Staging&, Job& job) const override {
    this->state(s).describe(s.in(0), s.out(0), job);
  }
};

}  // namespace penstock

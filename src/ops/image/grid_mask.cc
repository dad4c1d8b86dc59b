#include "kernels/grid/grid_mask.h"

#include <cmath>
#include <utility>

#include "core/check.h"
#include "device/gpu_form.h"
#include "ops/image/resample_image.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct GridMaskArgs {
  int64_t tile = 100;
  float ratio = 0.5f;
  float angle = 0;
  float shift_x = 0, shift_y = 0;
};

class GridMask final : public SampleOperator<GridMaskArgs>, public device::JobForm<kernels::GridMaskJob> {
 public:
  GridMask() : JobForm(penstock::kernels::kGridMask) {
    traits_.goes_by_descriptors = traits_.makes_regions = true;
    traits_.region_axes = "FHW";
  }
  void need(Sample& s) const override { s.need(0, s.wanted(0)); }
  void infer(Sample& s) const override {
    const GridMaskArgs& a = args(s);
    const TensorDesc& in = s.in(0).tensor;
    for (const int64_t extent : in.shape)
      PENSTOCK_CHECK(extent <= (1 << 24), ArgumentError, "an axis of {} elements is longer than 2^24", extent);
    PENSTOCK_CHECK(a.tile > 0, ArgumentError, "`tile` must be positive, got {}", a.tile);
    PENSTOCK_CHECK(a.ratio >= 0 && a.ratio <= 1, ArgumentError, "`ratio` must lie in [0, 1], got {}", a.ratio);
    for (const auto& [name, value] : {std::pair{"angle", a.angle}, {"shift_x", a.shift_x}, {"shift_y", a.shift_y}})
      PENSTOCK_CHECK(std::isfinite(value) && std::abs(value) < (1 << 24), ArgumentError,
                     "`{}` must be finite and below 2^24, got {}", name, value);
    s.out(0).describe(in);
  }
  void run(Sample& s) const override {
    penstock::kernels::GridMaskJob job = job_of(s);
    job.in = s.in(0).tensor.data;
    job.out = s.out(0).tensor.data;
    penstock::kernels::mask_grid(job, static_cast<int64_t>(size_of(s.in(0).tensor.dtype)));
  }

 private:
  penstock::kernels::GridMaskJob job_of(Sample& s) const {
    const GridMaskArgs& a = args(s);
    const SpatialAxes axes(s.in(0).tensor);
    const PlaneRegion made = s.out(0).plane(), held = s.in(0).plane();
    const auto tile = static_cast<float>(a.tile);
    const float along = std::cos(a.angle) / tile, aside = std::sin(a.angle) / tile;
    return {.grid = {.across = {along, -aside, -a.shift_x / tile},
                     .down = {aside, along, -a.shift_y / tile},
                     .ratio = a.ratio},
            .pictures = static_cast<int32_t>(s.out(0).held.outer(axes.first)),
            .rows = static_cast<int32_t>(made.height()),
            .columns = static_cast<int32_t>(made.width()),
            .first_row = static_cast<int32_t>(made.y0),
            .first_column = static_cast<int32_t>(made.x0),
            .held_rows = static_cast<int32_t>(held.height()),
            .held_columns = static_cast<int32_t>(held.width()),
            .row_in_held = static_cast<int32_t>(made.y0 - held.y0),
            .column_in_held = static_cast<int32_t>(made.x0 - held.x0),
            .channels = static_cast<int32_t>(axes.channels)};
  }
  void describe(Sample& s, device::Staging&, penstock::kernels::GridMaskJob& job) const override { job = job_of(s); }
};

}  // namespace

[[gnu::cold]] void register_grid_mask(Registry& r) {
  r.add<GridMask>("grid_mask")
      .doc(
          "Clears the squares of a grid, a square a tile: a pixel becomes 0 where the fractions of its grid "
          "coordinates "
          "are less than `ratio`. All frames of a sequence have the same grid.")
      .input("input", {"HWC", "FHWC", "HW", "CHW", "FCHW"}, "Any type.")
      .output("masked", "Shape, layout and type of the input.")
      .arg("tile", &GridMaskArgs::tile, "Extent of a tile, the square and the gap behind it, in pixels.", kPerSample)
      .arg("ratio", &GridMaskArgs::ratio, "Extent of the square, as a share of the tile's: 0 to 1.", kPerSample)
      .arg("angle", &GridMaskArgs::angle, "Radians by which the grid is turned around the first pixel.", kPerSample)
      .arg("shift_x", &GridMaskArgs::shift_x, "Pixels by which the turned grid is moved along its first axis.",
           kPerSample)
      .arg("shift_y", &GridMaskArgs::shift_y, "Likewise along its second axis.", kPerSample)
      .example({{"tile", 4}, {"ratio", 0.6}, {"angle", 0.3}, {"shift_x", 1.5}})
      .differs(
          "Coordinates are computed for each pixel; DALI's CPU adds them up along rows, so that pixels on the edge of "
          "a "
          "square may fall to its other side.")
      .differs("All types and sequences are taken, and planes of channels are pictures.");
}

}  // namespace penstock

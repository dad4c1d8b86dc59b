#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "ops/geometry/homography.h"
#include "ops/geometry/picture_geometry.h"
#include "ops/image/resample_image.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct FollowMasksArgs {
  float fill_value = 0;
};

struct FollowedMasks {
  PictureGeometry geometry;
  Homography to_source{};
  std::vector<HalfSpace> seen;  ///< of places in the picture
};

/// Columns [begin, end) of a row.
struct Columns {
  int64_t begin = 0, end = 0;
};

/// A row of pixels: where its place x = 0 lies in the source, and how far each pixel is from the one before.
struct Row {
  std::array<double, 4> start{}, step{};
};

int64_t planes_of(const Place& extents, int axes) { return axes == 3 ? static_cast<int64_t>(extents[2]) : 1; }

class FollowMasks final : public SampleOperator<FollowMasksArgs, FollowedMasks> {
 public:
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    FollowedMasks& state = this->state(s);
    state.geometry = PictureGeometry::read(s.in(1).tensor);
    const int axes = state.geometry.axes();
    PENSTOCK_CHECK(pixel_extents(in) == state.geometry.source() && pixel_axes(in) == axes, DataError,
                   "`data`: a mask of {} pixels does not belong to a {} of {}{}",
                   told_extents(pixel_extents(in), pixel_axes(in)), axes == 3 ? "volume" : "picture",
                   told_extents(state.geometry.source(), axes),
                   pixel_axes(in) < axes ? ": those of volumes need a layout such as DHW or DHWC" : "");
    state.to_source = inverse(state.geometry.to_picture());
    state.seen.clear();
    for (const auto& half_space : state.geometry.seen()) {
      auto& made = state.seen.emplace_back();
      for (size_t i = 0; i < 4; ++i)
        for (size_t k = 0; k < 4; ++k) made[i] += half_space[k] * state.to_source[k][i];
    }
    TensorDesc out = in;
    for (int i = 0; i < axes; ++i)
      out.shape[pixel_axis(in, "WHD"[i])] = static_cast<int64_t>(state.geometry.picture()[static_cast<size_t>(i)]);
    SpatialAxes{out};  // refuses axes between
    s.out(0).describe(out);
  }
  void run(Sample& s) const override {
    dispatch_all(s.in(0).tensor.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      switch (sizeof(T)) {  // bits alone are moved
        case 1:
          return follow<uint8_t>(s, convert_sat<T>(args(s).fill_value));
        case 2:
          return follow<uint16_t>(s, convert_sat<T>(args(s).fill_value));
        case 4:
          return follow<uint32_t>(s, convert_sat<T>(args(s).fill_value));
        default:
          return follow<uint64_t>(s, convert_sat<T>(args(s).fill_value));
      }
    });
  }

 private:
  template <class Bits, class T>
  void follow(Sample& s, T fill_value) const {
    Bits fill{};
    std::memcpy(&fill, &fill_value, std::min(sizeof fill, sizeof fill_value));
    const SpatialAxes axes(s.in(0).tensor);
    const FollowedMasks& state = this->state(s);
    const Place &source = state.geometry.source(), &picture = state.geometry.picture();
    const int64_t channels = axes.channels, columns = static_cast<int64_t>(picture[0]);
    const int64_t planes = planes_of(picture, axes.count);
    const int64_t pixels = static_cast<int64_t>(source[0] * source[1]) * planes_of(source, axes.count);
    const Bits* in = reinterpret_cast<const Bits*>(s.in(0).tensor.data);
    Bits* out = reinterpret_cast<Bits*>(s.out(0).tensor.data);
    for (int64_t frame = 0; frame < axes.outer; ++frame, in += pixels * channels)
      for (int64_t plane = 0; plane < planes; ++plane)
        for (double y = .5; y < picture[1]; ++y) {
          const double z = static_cast<double>(plane) + .5;
          const Columns shown = pixels > 0 ? seen_of(state, y, z, columns) : Columns{};
          const Row row = row_of(state, y, z);
          out = std::fill_n(out, shown.begin * channels, fill);
          out = copy_row(row, source, shown, in, channels, out);
          out = std::fill_n(out, (columns - shown.end) * channels, fill);
        }
  }

  /// The columns of a row whose middles are seen: all half spaces hold together in one stretch of it.
  static Columns seen_of(const FollowedMasks& state, double y, double z, int64_t columns) {
    double low = .5, high = static_cast<double>(columns) - .5;
    for (const auto& [a, b, c, d] : state.seen) {
      const double rest = b * y + c * z + d;
      if (a > 0) low = std::max(low, -rest / a);
      if (a < 0) high = std::min(high, -rest / a);
      if (a == 0 && rest < 0) return {};
    }
    const auto begin = static_cast<int64_t>(std::ceil(std::min(low, high + 1) - .5));
    const auto end = static_cast<int64_t>(std::floor(high - .5)) + 1;
    return {std::clamp<int64_t>(begin, 0, columns), std::clamp<int64_t>(std::max(begin, end), 0, columns)};
  }

  static Row row_of(const FollowedMasks& state, double y, double z) {
    Row row;
    for (size_t i = 0; i < 4; ++i) {
      const auto& m = state.to_source[i];
      row.start[i] = m[1] * y + m[2] * z + m[3], row.step[i] = m[0];
    }
    return row;
  }

  /// Copies the pixels of the source that show in the columns. Along x alone where the row lies so in the source.
  template <class Bits>
  static Bits* copy_row(const Row& row, const Place& source, const Columns& shown, const Bits* in, int64_t channels,
                        Bits* out) {
    const auto along = [&](size_t axis, double x) {
      const double at = (row.step[axis] * x + row.start[axis]) / (row.step[3] * x + row.start[3]);
      return std::clamp(std::floor(at), 0.0, std::max(source[axis] - 1, 0.0));
    };
    const bool in_plane = row.step[2] == 0 && (row.step[3] == 0 || source[2] == 0);
    const bool straight = row.step[1] == 0 && row.step[2] == 0 && row.step[3] == 0;
    const double plane = source[2] == 0 ? 0 : along(2, .5) * source[1];
    const double line = (plane + along(1, .5)) * source[0];  // where it is straight
    for (int64_t column = shown.begin; column < shown.end; ++column, out += channels) {
      const double x = static_cast<double>(column) + .5;
      const double first = straight ? line : ((in_plane ? plane : along(2, x) * source[1]) + along(1, x)) * source[0];
      std::copy_n(in + static_cast<int64_t>(first + along(0, x)) * channels, channels, out);
    }
    return out;
  }
};

}  // namespace

[[gnu::cold]] void register_follow_masks(Registry& r) {
  r.add<FollowMasks>("follow_masks")
      .doc("Moves masks along with their picture or volume; pixels are the nearest ones.")
      .input("masks", {"HWC", "HW", "FHWC", "CHW", "FCHW", "DHWC", "FDHWC", "CDHW", "FCDHW", "CFHW", "CFDHW", "DHW"},
             "As large as the picture; any type.")
      .input("geometry", {}, "Where the picture's pixels went.")
      .reads_data()
      .output("masks", "As large as the moved picture; type and layout of the input.")
      .arg("fill_value", &FollowMasksArgs::fill_value, "What pixels get that show nothing of the source.")
      .host_only("goes by the geometry, which the host makes")
      .hidden();
}

}  // namespace penstock

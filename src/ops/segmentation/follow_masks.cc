#include <algorithm>
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
  std::vector<std::array<double, 3>> seen;  ///< half planes of places in the picture
};

/// Columns [begin, end) of a row.
struct Columns {
  int64_t begin = 0, end = 0;
};

class FollowMasks final : public SampleOperator<FollowMasksArgs, FollowedMasks> {
 public:
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    FollowedMasks& state = this->state(s);
    state.geometry = PictureGeometry::read(s.in(1).tensor);
    const auto [width, height] = plane_extents(in);
    const auto& [source_width, source_height] = state.geometry.source();
    PENSTOCK_CHECK(width == source_width && height == source_height, DataError,
                   "a mask of {} x {} pixels does not belong to a picture of {} x {}", height, width, source_height,
                   source_width);
    state.to_source = inverse(state.geometry.to_picture());
    state.seen.clear();
    for (const auto& half_plane : state.geometry.seen()) {
      auto& made = state.seen.emplace_back();
      for (size_t i = 0; i < 3; ++i)
        for (size_t k = 0; k < 3; ++k) made[i] += half_plane[k] * state.to_source[k][i];
    }
    TensorDesc out = in;
    out.shape[plane_axis(in, 'W')] = static_cast<int64_t>(state.geometry.picture()[0]);
    out.shape[plane_axis(in, 'H')] = static_cast<int64_t>(state.geometry.picture()[1]);
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
    const auto& [width, height] = state.geometry.source();
    const auto& [columns, rows] = state.geometry.picture();
    const int64_t channels = axes.channels, plane = static_cast<int64_t>(width * height) * channels;
    const Bits* in = reinterpret_cast<const Bits*>(s.in(0).tensor.data);
    Bits* out = reinterpret_cast<Bits*>(s.out(0).tensor.data);
    for (int64_t frame = 0; frame < axes.outer; ++frame, in += plane)
      for (double y = .5; y < rows; ++y) {
        const Columns shown = plane > 0 ? seen_of(state, y, static_cast<int64_t>(columns)) : Columns{};
        out = std::fill_n(out, shown.begin * channels, fill);
        for (int64_t x = shown.begin; x < shown.end; ++x, out += channels)
          std::copy_n(in + source_index(state, static_cast<double>(x) + .5, y) * channels, channels, out);
        out = std::fill_n(out, (static_cast<int64_t>(columns) - shown.end) * channels, fill);
      }
  }

  /// The columns of a row whose middles are seen: all half planes hold together in one stretch of it.
  static Columns seen_of(const FollowedMasks& state, double y, int64_t columns) {
    double low = .5, high = static_cast<double>(columns) - .5;
    for (const auto& [a, b, c] : state.seen) {
      const double rest = b * y + c;
      if (a > 0) low = std::max(low, -rest / a);
      if (a < 0) high = std::min(high, -rest / a);
      if (a == 0 && rest < 0) return {};
    }
    const auto begin = static_cast<int64_t>(std::ceil(std::min(low, high + 1) - .5));
    const auto end = static_cast<int64_t>(std::floor(high - .5)) + 1;
    return {std::clamp<int64_t>(begin, 0, columns), std::clamp<int64_t>(std::max(begin, end), 0, columns)};
  }

  /// The pixel of the source that shows at the place.
  static int64_t source_index(const FollowedMasks& state, double x, double y) {
    const Homography& m = state.to_source;
    const auto& [width, height] = state.geometry.source();
    const double w = m[2][0] * x + m[2][1] * y + m[2][2];
    const double column = std::clamp(std::floor((m[0][0] * x + m[0][1] * y + m[0][2]) / w), 0.0, width - 1);
    const double row = std::clamp(std::floor((m[1][0] * x + m[1][1] * y + m[1][2]) / w), 0.0, height - 1);
    return static_cast<int64_t>(row) * static_cast<int64_t>(width) + static_cast<int64_t>(column);
  }
};

}  // namespace

[[gnu::cold]] void register_follow_masks(Registry& r) {
  r.add<FollowMasks>("follow_masks")
      .doc("Moves masks along with their picture; pixels are the nearest ones.")
      .input("masks", {"HWC", "HW", "FHWC", "CHW", "FCHW"}, "As large as the picture; any type.")
      .input("geometry", {}, "Where the picture's pixels went.")
      .reads_data()
      .output("masks", "As large as the moved picture; type and layout of the input.")
      .arg("fill_value", &FollowMasksArgs::fill_value, "What pixels get that show nothing of the source.")
      .host_only("goes by the geometry, which the host makes")
      .hidden();
}

}  // namespace penstock

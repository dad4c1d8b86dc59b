#include "kernels/resample/axis.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/check.h"
#include "kernels/resample/filter.h"
#include "kernels/resample/linear.h"

namespace penstock::kernels {
namespace {

constexpr float kMaxTaps = 0x1p20f;

/// Beyond 2^30 everything is far outside of the image and clamps to its border.
float limited(float x) { return std::clamp(x, -0x1p30f, 0x1p30f); }

float radius_of(const AxisGeometry& g) { return filter_radius(g.filter, g.antialias, std::abs(g.step())); }

bool is_tent(const AxisGeometry& g) { return g.filter == InterpType::kLinear || g.filter == InterpType::kTriangular; }

/// Where the first tap of output pixel 0 lies, before it is rounded up to a source pixel.
float origin_of(const AxisGeometry& g) { return g.start + (0.5f * g.step() - 0.5f - radius_of(g)); }

/// Output pixels fall on source pixels: an interpolating filter has one tap that matters.
bool on_grid(const AxisGeometry& g) {
  return g.filter != InterpType::kGaussian && std::abs(g.end - g.start) == static_cast<float>(g.out) &&
         g.start == std::floor(g.start);
}

/// Taps before folding.
int64_t reach(const AxisGeometry& g) {
  if (g.filter == InterpType::kNN || on_grid(g)) return 1;
  const float reach = std::ceil(2 * radius_of(g));
  PENSTOCK_CHECK(reach <= kMaxTaps, ArgumentError,
                 "a resampling filter of {} source pixels is too wide; the region of interest is {} pixels long and "
                 "becomes {}",
                 reach, std::abs(g.end - g.start), g.out);
  return static_cast<int64_t>(reach);
}

// Positions are computed in float and in this order because DALI does so: ties of nearest neighbours depend on it.
void pick(const AxisGeometry& g, Axis& axis) {
  const float step = g.step();
  for (int64_t i = 0; i < axis.size(); ++i) {
    const auto at =
        static_cast<int64_t>(floor_fast(limited(g.start + (static_cast<float>(g.begin + i) + 0.5f) * step)));
    axis.first[static_cast<size_t>(i)] = static_cast<int32_t>(std::clamp<int64_t>(at, 0, g.in - 1));
  }
  std::fill(axis.weights.begin(), axis.weights.end(), 1.0f);
}

/// Weights of filters that are wider than a pixel.
template <class Curve>
class Weigher {
 public:
  Weigher(const AxisGeometry& g, int64_t reach, Axis& axis)
      : axis_(axis),
        reach_(static_cast<int32_t>(reach)),
        begin_(static_cast<float>(g.begin)),
        in_(static_cast<int32_t>(g.in)),
        step_(g.step()),
        radius_(radius_of(g)),
        origin_(origin_of(g)),
        curve_(g.filter, radius_) {}

  void weigh() const {
    auto begin = int32_t{0}, end = static_cast<int32_t>(axis_.size());
    while (begin < end && outside(begin)) fold(begin++);
    while (begin < end && outside(end - 1)) fold(--end);
    if (std::is_same_v<Curve, Tent> && reach_ == 2)
      linear_taps({begin, end, begin_, step_, origin_}, axis_.first.data(), axis_.weights.data());
    else
      spread(*this, begin, end, axis_.first.data(), axis_.weights.data());
  }

 private:
  /// @param me  a copy: the weights that are written could otherwise be its members
  static void spread(const Weigher me, int32_t begin, int32_t end, int32_t* first, float* weights) {
    const int32_t reach = me.reach_;
    for (int32_t i = begin; i < end; ++i) {
      const float low = (me.begin_ + static_cast<float>(i)) * me.step_ + me.origin_, lowest = ceil_fast(low);
      const float distance = lowest - low - me.radius_;
      first[i] = static_cast<int32_t>(lowest);
      float* of_pixel = weights + int64_t{i} * reach;
      float sum = 0;
      for (int32_t k = 0; k < reach; ++k) sum += of_pixel[k] = me.curve_(distance + static_cast<float>(k));
      const float unit = 1 / sum;
      for (int32_t k = 0; k < reach; ++k) of_pixel[k] *= unit;
    }
  }
  float low_of(int32_t i) const { return limited((begin_ + static_cast<float>(i)) * step_ + origin_); }
  bool outside(int32_t i) const {
    const auto from = static_cast<int32_t>(ceil_fast(low_of(i)));
    return from < 0 || from > in_ - reach_;
  }
  /// Taps beyond the border go to its pixel.
  void fold(int32_t i) const {
    const float low = low_of(i), lowest = ceil_fast(low), distance = lowest - low - radius_;
    const auto from = static_cast<int32_t>(lowest), first = std::clamp(from, 0, in_ - axis_.taps);
    float* weights = axis_.weights.data() + int64_t{i} * axis_.taps;
    std::fill_n(weights, axis_.taps, 0.0f);
    float sum = 0;
    for (int32_t k = 0; k < reach_; ++k) {
      const float weight = curve_(distance + static_cast<float>(k));
      weights[std::clamp(from + k, 0, in_ - 1) - first] += weight;
      sum += weight;
    }
    const float unit = 1 / sum;
    for (int32_t k = 0; k < axis_.taps; ++k) weights[k] *= unit;
    axis_.first[static_cast<size_t>(i)] = first;
  }

  Axis& axis_;
  const int32_t reach_;
  const float begin_;
  const int32_t in_;
  const float step_, radius_, origin_;
  const Curve curve_;
};

void weigh(const AxisGeometry& g, int64_t reach, Axis& axis) {
  if (is_tent(g)) return Weigher<Tent>(g, reach, axis).weigh();
  Weigher<FilterCurve>(g, reach, axis).weigh();
}

}  // namespace

int64_t AxisGeometry::taps() const { return std::min(reach(*this), in); }

std::pair<int64_t, int64_t> touched(const AxisGeometry& g) {
  if (g.stop <= g.begin) return {0, 0};
  if (const auto formula = linear_axis(g)) {
    float weights[2];
    const int64_t first = formula->tap(0, weights), last = formula->tap(formula->size - 1, weights);
    return {std::min(first, last), std::max(first, last) + 2};
  }
  const auto taps_of = [&](int64_t pixel) {
    AxisGeometry alone = g;
    alone.begin = pixel;
    alone.stop = pixel + 1;
    Axis axis;
    axis.assign(alone);
    return axis;
  };
  const Axis first = taps_of(g.begin), last = taps_of(g.stop - 1);  // they rise, or fall
  return {std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

std::optional<LinearAxis> linear_axis(const AxisGeometry& g) {
  if (!is_tent(g) || reach(g) != 2 || g.in < 2) return std::nullopt;
  return LinearAxis{.in = static_cast<int32_t>(g.in),
                    .size = static_cast<int32_t>(std::max<int64_t>(0, g.stop - g.begin)),
                    .held = 0,
                    .begin = static_cast<float>(g.begin),
                    .step = g.step(),
                    .origin = origin_of(g)};
}

bool Axis::copies() const {
  if (taps != 1) return false;
  for (int64_t i = 0; i < size(); ++i)
    if (first[static_cast<size_t>(i)] != begin + i) return false;
  return true;
}

void Axis::assign(const AxisGeometry& g) {
  taps = static_cast<int>(g.taps());
  const auto n = static_cast<size_t>(std::max<int64_t>(0, g.stop - g.begin));
  first.resize(n);
  weights.resize(n * static_cast<size_t>(taps));
  const int64_t untrimmed = reach(g);
  if (untrimmed == 1)
    pick(g, *this);
  else
    weigh(g, untrimmed, *this);
  begin = n ? std::min(first.front(), first.back()) : 0;  // they rise, or fall
  end = n ? std::max(first.front(), first.back()) + taps : 0;
}

}  // namespace penstock::kernels

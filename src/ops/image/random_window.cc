#include "ops/image/random_window.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check.h"

namespace penstock {
namespace {

// Everything is float, as in DALI: which attempts are accepted depends on the last bits.
struct Bounds {
  float H, W, min_ratio, max_ratio, min_area, max_area;
  /// The widest window of full height and the highest of full width that the ratios allow.
  int64_t max_w() const { return extent(H * max_ratio); }
  int64_t max_h() const { return extent(W / min_ratio); }
  /// Truncates; the upper limit keeps absurd ratios within the range of integers.
  static int64_t extent(float x) { return static_cast<int64_t>(std::clamp(x, 1.0f, 0x1p30f)); }
};

void check_range(const char* name, const std::vector<float>& range) {
  PENSTOCK_CHECK(range.size() == 2, ArgumentError, "`{}` takes two values, the least and the greatest; got {}", name,
                 range.size());
  PENSTOCK_CHECK(std::isfinite(range[0]) && std::isfinite(range[1]), ArgumentError, "`{}` must be finite, got [{}, {}]",
                 name, range[0], range[1]);
  PENSTOCK_CHECK(range[0] <= range[1], ArgumentError, "Provided empty range for `{}`: [{}, {}]", name, range[0],
                 range[1]);
}

/// Images so elongated that no window of the least area has an allowed ratio get the best strip there is.
std::optional<Extent> strip(const Bounds& b) {
  const float least = b.W * b.H * b.min_area;
  if (b.H * static_cast<float>(b.max_w()) < least) return Extent{.h = static_cast<int64_t>(b.H), .w = b.max_w()};
  if (b.W * static_cast<float>(b.max_h()) < least) return Extent{.h = b.max_h(), .w = static_cast<int64_t>(b.W)};
  return {};
}

std::optional<Extent> attempt(Random& random, const Bounds& b) {
  const float area = random.uniform(b.min_area, b.max_area) * b.H * b.W;
  const float ratio = std::exp(random.uniform(std::log(b.min_ratio), std::log(b.max_ratio)));
  const float w = std::max(1.0f, std::round(std::sqrt(area * ratio)));
  const float h = std::max(1.0f, std::round(std::sqrt(area / ratio)));
  const bool fits = w <= b.W && h <= b.H && w / h >= b.min_ratio && w / h <= b.max_ratio;
  if (!fits) return {};
  return Extent{.h = static_cast<int64_t>(h), .w = static_cast<int64_t>(w)};
}

/// The whole image, cut down to the allowed ratios and then to the greatest area.
Extent fallback(const Bounds& b) {
  float h = b.H, w = b.W;
  if (w / h > b.max_ratio)
    w = static_cast<float>(b.max_w());
  else if (w / h < b.min_ratio)
    h = static_cast<float>(b.max_h());
  const float scale = std::sqrt(std::min(1.0f, b.max_area * b.W * b.H / (h * w)));
  return {.h = std::max<int64_t>(1, static_cast<int64_t>(h * scale)),
          .w = std::max<int64_t>(1, static_cast<int64_t>(w * scale))};
}

Extent window_size(Random& random, const Bounds& b, int64_t attempts) {
  if (const auto only = strip(b)) return *only;
  for (int64_t i = 0; i < attempts; ++i)
    if (const auto window = attempt(random, b)) return *window;
  return fallback(b);
}

}  // namespace

void check_random_window(const RandomWindowArgs& args) {
  check_range("random_aspect_ratio", args.random_aspect_ratio);
  check_range("random_area", args.random_area);
  PENSTOCK_CHECK(args.random_aspect_ratio[0] > 0, ArgumentError, "`random_aspect_ratio` must be positive, got {}",
                 args.random_aspect_ratio[0]);
  PENSTOCK_CHECK(args.random_area[0] >= 0 && args.random_area[1] > 0, ArgumentError,
                 "`random_area` is a share of the image and must be positive, got [{}, {}]", args.random_area[0],
                 args.random_area[1]);
  PENSTOCK_CHECK(args.num_attempts > 0, ArgumentError, "`num_attempts` must be positive, got {}", args.num_attempts);
}

Extent random_window(Random& random, int64_t H, int64_t W, const RandomWindowArgs& args) {
  if (H <= 0 || W <= 0) return {};
  const Bounds bounds{static_cast<float>(H),       static_cast<float>(W), args.random_aspect_ratio[0],
                      args.random_aspect_ratio[1], args.random_area[0],   args.random_area[1]};
  Extent window = window_size(random, bounds, args.num_attempts);
  window.h = std::min(window.h, H);  // an image beyond 2^24 pixels a side is not exact in float
  window.w = std::min(window.w, W);
  window.y = random.below(static_cast<uint32_t>(H - window.h + 1));
  window.x = random.below(static_cast<uint32_t>(W - window.w + 1));
  return window;
}

}  // namespace penstock

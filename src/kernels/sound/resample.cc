#include "kernels/sound/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "core/check.h"
#include "kernels/bands/bands.h"
#include "kernels/sound/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sound/resample.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Weights of the samples at 1 - lobes to lobes for a place `at` in [0, 1) behind sample 0. As sin(pi (k - at)) is
/// +-sin(pi at) for all k, and the window's cosine a sum of products, no weight needs a sine of its own: `shape` has
/// the rows sign / 2 pi, k, cos(pi k / lobes) and sin(pi k / lobes).
template <class D>
HWY_INLINE size_t weights_from(D d, size_t k, const float* shape, size_t lobes, double at, float* weights) {
  constexpr double kPi = 3.14159265358979323846;
  const size_t taps = 2 * lobes;
  const double turn = kPi * at / static_cast<double>(lobes);
  const auto sine = hn::Set(d, static_cast<float>(std::sin(kPi * at))), place = hn::Set(d, static_cast<float>(at));
  const auto cosine_of_turn = hn::Set(d, static_cast<float>(std::cos(turn)));
  const auto sine_of_turn = hn::Set(d, static_cast<float>(std::sin(turn)));
  for (; k + hn::Lanes(d) <= taps; k += hn::Lanes(d)) {
    const auto sinc = hn::Div(hn::Mul(sine, hn::LoadU(d, shape + k)), hn::Sub(hn::LoadU(d, shape + taps + k), place));
    const auto window = hn::MulAdd(hn::LoadU(d, shape + 2 * taps + k), cosine_of_turn,
                                   hn::MulAdd(hn::LoadU(d, shape + 3 * taps + k), sine_of_turn, hn::Set(d, 1.f)));
    hn::StoreU(hn::Mul(sinc, window), d, weights + k);
  }
  return k;
}

HWY_NOINLINE void weights_at(const float* shape, size_t lobes, double at, float* weights) {
  constexpr double kPi = 3.14159265358979323846;
  const size_t whole = weights_from(hn::ScalableTag<float>(), 0, shape, lobes, at, weights);
  if (whole < 2 * lobes) weights_from(hn::CappedTag<float, 1>(), whole, shape, lobes, at, weights);
  for (const size_t k : {lobes - 1, lobes}) {  // the samples on either side may be where the place is
    const double distance = static_cast<double>(k) - static_cast<double>(lobes - 1) - at;
    const double sinc = distance == 0 ? 1 : std::sin(kPi * distance) / (kPi * distance);
    weights[k] = static_cast<float>(sinc * 0.5 * (1 + std::cos(kPi * distance / static_cast<double>(lobes))));
  }
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(weights_at);

constexpr int64_t kMostWeights = int64_t{1} << 16;  ///< that are kept: more than the second cache holds gain nothing

std::vector<float> shape_of(int64_t lobes) {
  const auto taps = static_cast<size_t>(2 * lobes);
  std::vector<float> shape(4 * taps);
  for (size_t i = 0; i < taps; ++i) {
    const int64_t k = static_cast<int64_t>(i) + 1 - lobes;
    const double turn = std::numbers::pi * static_cast<double>(k) / static_cast<double>(lobes);
    shape[i] = static_cast<float>((k % 2 == 0 ? -0.5 : 0.5) / std::numbers::pi);
    shape[taps + i] = static_cast<float>(k);
    shape[2 * taps + i] = static_cast<float>(std::cos(turn));
    shape[3 * taps + i] = static_cast<float>(std::sin(turn));
  }
  return shape;
}

/// The rates times 1 or 256 where both then are whole numbers, which a double holds exactly; {0, 0} otherwise.
std::pair<int64_t, int64_t> whole_ratio(double in_rate, double out_rate) {
  for (const double factor : {1.0, 256.0}) {
    const double in = in_rate * factor, out = out_rate * factor;
    if (in != std::floor(in) || out != std::floor(out) || std::max(in, out) >= 0x1p31) continue;
    const auto down = static_cast<int64_t>(in), up = static_cast<int64_t>(out);
    const int64_t common = std::gcd(down, up);
    return {up / common, down / common};
  }
  return {0, 0};
}

}  // namespace

int64_t lobes_of(double quality) {
  PENSTOCK_CHECK(quality >= 0 && quality <= 100, ArgumentError,
                 "`quality` out of range: it must lie in [0, 100], got {}", quality);
  return std::lround((0.007 * quality - 0.09) * quality + 3);
}

void Resampler::prepare(double in_rate, double out_rate, double quality) {
  if (in_rate == in_rate_ && out_rate == out_rate_ && quality == quality_) return;
  const auto is_rate = [](double rate) { return std::isfinite(rate) && rate > 0; };
  PENSTOCK_CHECK(is_rate(in_rate) && is_rate(out_rate), ArgumentError,
                 "rates must be positive and finite, got {} and {}", in_rate, out_rate);
  lobes_ = lobes_of(quality);
  in_rate_ = in_rate, out_rate_ = out_rate, quality_ = quality;
  shape_ = shape_of(lobes_);
  std::tie(up_, down_) = whole_ratio(in_rate, out_rate);
  weights_.clear();
  const int64_t taps = 2 * lobes_;
  if (up_ == 0 || up_ * taps > kMostWeights) return;
  weights_.resize(static_cast<size_t>(up_ * taps));
  for (int64_t place = 0; place < up_; ++place) HWY_DYNAMIC_DISPATCH(weights_at)
  (shape_.data(), static_cast<size_t>(lobes_), static_cast<double>(place) / static_cast<double>(up_),
   weights_.data() + place * taps);
}

int64_t Resampler::length_of(int64_t n) const {
  const double length = static_cast<double>(n) * out_rate_ / in_rate_;
  PENSTOCK_CHECK(length < static_cast<double>(std::numeric_limits<int32_t>::max()), ArgumentError,
                 "{} samples at {} times their rate are too many", n, out_rate_ / in_rate_);
  if (up_ > 0 && n < (int64_t{1} << 31)) return (n * up_ + down_ - 1) / down_;
  return static_cast<int64_t>(std::ceil(length));
}

void Resampler::run(const float* in, int64_t n, float* out, int64_t length, int64_t stride) const {
  constexpr int64_t kBlock = 64;
  const int64_t taps = 2 * lobes_;
  std::array<Band, kBlock> bands;
  std::array<float, kBlock> made;
  std::vector<float> own(weights_.empty() ? static_cast<size_t>(kBlock * taps) : 0);
  int64_t sample = 0, place = 0;  // output i lies place / up_ behind that sample
  for (int64_t first = 0; first < length; first += kBlock) {
    const auto count = static_cast<size_t>(std::min(kBlock, length - first));
    for (size_t i = 0; i < count; ++i) {
      if (!weights_.empty()) {
        bands[i] = {sample, taps, weights_.data() + place * taps};
        place += down_;
        sample += place / up_;
        place %= up_;
        continue;
      }
      const double at = static_cast<double>(first + static_cast<int64_t>(i)) * in_rate_ / out_rate_;
      const int64_t before = std::min(static_cast<int64_t>(at), n);
      float* const weights = own.data() + static_cast<int64_t>(i) * taps;
      HWY_DYNAMIC_DISPATCH(weights_at)
      (shape_.data(), static_cast<size_t>(lobes_), std::min(at - static_cast<double>(before), 1.0), weights);
      bands[i] = {before, taps, weights};
    }
    multiply_bands(std::span(bands).first(count), in - (lobes_ - 1), 1, made.data());
    for (size_t i = 0; i < count; ++i) out[(first + static_cast<int64_t>(i)) * stride] = made[i];
  }
}

void resample_channels(const Resampler& resampler, DType type, const std::byte* in, int64_t n, int64_t channels,
                       std::vector<float>& room, float* out, int64_t length) {
  const auto margin = static_cast<size_t>(resampler.margin());
  room.assign(static_cast<size_t>(n) + 2 * margin, 0.f);
  for (int64_t c = 0; c < channels; ++c) {
    sound_to_float(type, in + static_cast<size_t>(c) * size_of(type), channels, n, room.data() + margin);
    resampler.run(room.data() + margin, n, out + c, length, channels);
  }
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE

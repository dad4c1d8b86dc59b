#include "kernels/sound/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "core/check.h"
#include "kernels/bands/bands.h"
#include "kernels/sound/convert.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 16;  ///< that are kept for one ratio: what the second cache holds
/// Places between two samples that weights are computed for. Between them a line is right to (pi / kPlaces)^2 / 8.
constexpr int64_t kPlaces = 1024;
constexpr int64_t kBlock = 64;  ///< outputs that are made together

/// Appends the weights of the samples from 1 - lobes to lobes for a place `at` in [0, 1] behind sample 0. As
/// sin(pi (k - at)) is +-sin(pi at) for all k, no weight needs a sine of its own.
void add_weights(int64_t lobes, double at, std::vector<float>& to) {
  constexpr double kPi = std::numbers::pi;
  const auto width = static_cast<double>(lobes);
  const double sine = std::sin(kPi * std::min(at, 1 - at)) / kPi;
  const double step_cos = std::cos(kPi / width), step_sin = std::sin(kPi / width);
  double cosine = std::cos(kPi * (1 - width - at) / width), sine_too = std::sin(kPi * (1 - width - at) / width);
  for (int64_t k = 1 - lobes; k <= lobes; ++k) {
    const double distance = static_cast<double>(k) - at;
    const double sinc = distance == 0 ? 1 : (k % 2 == 0 ? -sine : sine) / distance;
    to.push_back(static_cast<float>(sinc * 0.5 * (1 + cosine)));
    const double next = cosine * step_cos - sine_too * step_sin;
    sine_too = sine_too * step_cos + cosine * step_sin;
    cosine = next;
  }
}

std::vector<float> weights_of(int64_t lobes, int64_t places, int64_t apart) {
  std::vector<float> weights;
  weights.reserve(static_cast<size_t>(places * 2 * lobes));
  for (int64_t place = 0; place < places; ++place)
    add_weights(lobes, static_cast<double>(place) / static_cast<double>(apart), weights);
  return weights;
}

/// The rates times 1 or 256 where both then are whole numbers, which a double holds exactly: {out, in}, by their common
/// divisor; {0, 0} otherwise.
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

void SoundResampler::prepare(double in_rate, double out_rate, double quality) {
  const auto is_rate = [](double rate) { return std::isfinite(rate) && rate > 0; };
  PENSTOCK_CHECK(is_rate(in_rate) && is_rate(out_rate), ArgumentError,
                 "rates must be positive and finite, got {} and {}", in_rate, out_rate);
  const int64_t lobes = lobes_of(quality);
  if (in_rate == in_rate_ && out_rate == out_rate_ && lobes == lobes_) return;
  if (lobes != lobes_) fine_.clear();
  in_rate_ = in_rate, out_rate_ = out_rate, lobes_ = lobes;
  const auto [up, down] = whole_ratio(in_rate, out_rate);
  const bool kept = up > 0 && up * 2 * lobes <= kMostWeights;
  up_ = kept ? up : 0, down_ = kept ? down : 0;
  if (kept)
    weights_ = weights_of(lobes, up, up);
  else if (fine_.empty())
    fine_ = weights_of(lobes, kPlaces + 1, kPlaces);
}

int64_t SoundResampler::length_of(int64_t n) const {
  const double length = static_cast<double>(n) * out_rate_ / in_rate_;
  PENSTOCK_CHECK(length < static_cast<double>(std::numeric_limits<int32_t>::max()), ArgumentError,
                 "{} samples at {} times their rate are too many", n, out_rate_ / in_rate_);
  if (up_ > 0 && n < (int64_t{1} << 31)) return (n * up_ + down_ - 1) / down_;
  return static_cast<int64_t>(std::ceil(length));
}

void SoundResampler::run(const float* in, int64_t n, float* out, int64_t length, int64_t stride) const {
  up_ > 0 ? run_whole(in, out, length, stride) : run_any(in, n, out, length, stride);
}

void SoundResampler::run_whole(const float* in, float* out, int64_t length, int64_t stride) const {
  const int64_t taps = 2 * lobes_;
  std::array<Band, kBlock> bands;
  std::array<float, kBlock> made;
  int64_t sample = 0, place = 0;  // an output lies place / up_ behind that sample
  for (int64_t first = 0; first < length; first += kBlock) {
    const int64_t count = std::min(kBlock, length - first);
    for (int64_t i = 0; i < count; ++i) {
      bands[static_cast<size_t>(i)] = {sample, taps, weights_.data() + place * taps};
      place += down_;
      sample += place / up_;
      place %= up_;
    }
    multiply_bands(std::span(bands).first(static_cast<size_t>(count)), in - (lobes_ - 1), 1, made.data());
    for (int64_t i = 0; i < count; ++i) out[(first + i) * stride] = made[static_cast<size_t>(i)];
  }
}

void SoundResampler::run_any(const float* in, int64_t n, float* out, int64_t length, int64_t stride) const {
  const int64_t taps = 2 * lobes_;
  std::array<Band, 2 * kBlock> bands;  // of the places on either side of each output
  std::array<float, 2 * kBlock> made;
  std::array<float, kBlock> between;
  for (int64_t first = 0; first < length; first += kBlock) {
    const int64_t count = std::min(kBlock, length - first);
    for (int64_t i = 0; i < count; ++i) {
      const double at = static_cast<double>(first + i) * in_rate_ / out_rate_;
      const int64_t sample = std::min(static_cast<int64_t>(at), n);
      const double places = std::min((at - static_cast<double>(sample)) * kPlaces, static_cast<double>(kPlaces));
      const int64_t place = std::min(static_cast<int64_t>(places), kPlaces - 1);
      const auto k = static_cast<size_t>(i);
      between[k] = static_cast<float>(places - static_cast<double>(place));
      bands[2 * k] = {sample, taps, fine_.data() + place * taps};
      bands[2 * k + 1] = {sample, taps, fine_.data() + (place + 1) * taps};
    }
    multiply_bands(std::span(bands).first(static_cast<size_t>(2 * count)), in - (lobes_ - 1), 1, made.data());
    for (size_t k = 0; k < static_cast<size_t>(count); ++k)
      out[(first + static_cast<int64_t>(k)) * stride] = made[2 * k] + (made[2 * k + 1] - made[2 * k]) * between[k];
  }
}

void resample_channels(const SoundResampler& resampler, DType type, const std::byte* in, int64_t n, int64_t channels,
                       float* room, float* out, int64_t length) {
  const int64_t margin = resampler.margin();
  std::fill_n(room, margin, 0.f);
  std::fill_n(room + margin + n, margin, 0.f);
  for (int64_t c = 0; c < channels; ++c) {
    sound_to_float(type, in + static_cast<size_t>(c) * size_of(type), channels, n, room + margin);
    resampler.run(room + margin, n, out + c, length, channels);
  }
}

}  // namespace penstock::kernels

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/check.h"
#include "kernels/fourier/spectrum.h"
#include "ops/audio/signal.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct SpectrogramArgs {
  std::optional<int64_t> nfft;
  int64_t window_length = 512, window_step = 256, power = 2;
  std::vector<float> window_fn;
  bool center_windows = true, reflect_padding = true;
  std::string layout = "ft";
};

constexpr int64_t kMostSamples = int64_t{1} << 30;

std::vector<float> hann(int64_t length) {
  std::vector<float> window;
  for (int64_t i = 0; i < length; ++i) {
    const double sine = std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(length));
    window.push_back(static_cast<float>(sine * sine));
  }
  return window;
}

/// The sample that a mirror at both ends shows at place i.
int64_t reflected(int64_t i, int64_t count) {
  if (count == 1) return 0;
  const int64_t period = 2 * (count - 1), place = ((i % period) + period) % period;
  return place < count ? place : period - place;
}

class Spectrogram final : public SampleOperator<SpectrogramArgs> {
 public:
  void setup() override {
    const SpectrogramArgs& a = constants();
    PENSTOCK_CHECK(a.window_length > 0 && a.window_length <= kernels::kMostFourierPoints, ArgumentError,
                   "Invalid window length: {}; it must lie in [1, {}]", a.window_length, kernels::kMostFourierPoints);
    PENSTOCK_CHECK(a.window_step > 0, ArgumentError, "Invalid window step: {}; it must be positive", a.window_step);
    const int64_t points = a.nfft.value_or(a.window_length);
    PENSTOCK_CHECK(points >= a.window_length && points <= kernels::kMostFourierPoints, ArgumentError,
                   "Window length ({}) can't be bigger than the FFT size (`nfft`: {}), which can be {} at most",
                   a.window_length, points, kernels::kMostFourierPoints);
    PENSTOCK_CHECK(a.power == 1 || a.power == 2, ArgumentError,
                   "`power` can be only 1 (magnitude) or 2 (power), received {}", a.power);
    PENSTOCK_CHECK(a.layout == "ft" || a.layout == "tf", ArgumentError,
                   "Unexpected layout: \"{}\"; use \"ft\" or \"tf\"", a.layout);
    PENSTOCK_CHECK(a.window_fn.empty() || static_cast<int64_t>(a.window_fn.size()) == a.window_length, ArgumentError,
                   "Window function should match the specified `window_length`: it has {} numbers, not {}",
                   a.window_fn.size(), a.window_length);
    window_ = a.window_fn.empty() ? hann(a.window_length) : a.window_fn;
    spectrum_.emplace(points);
  }
  void infer(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    check_float(in);
    const int64_t samples = signal_length(in), windows = windows_of(samples), bins = spectrum_->bins();
    s.out(0).describe(
        {DType::kFloat, frequencies_first() ? Shape{bins, windows} : Shape{windows, bins}, Layout(constants().layout)});
  }
  void run(Sample& s) const override {
    const int64_t windows = windows_of(signal_length(s.in(0).tensor)), bins = spectrum_->bins();
    const int64_t columns = spectrum_->columns(), step = constants().window_step;
    const float* signal = padded(s);
    auto* out = s.out(0).tensor.as<float>();
    auto* work = s.scratch_array<float>(spectrum_->work_size());
    auto* rows = s.scratch_array<float>(static_cast<size_t>(bins * columns));
    auto* offsets = s.scratch_array<int32_t>(static_cast<size_t>(columns));
    for (int64_t first = 0; first < windows; first += columns) {
      const int64_t count = std::min(columns, windows - first);
      for (int64_t l = 0; l < columns; ++l) offsets[l] = static_cast<int32_t>(std::min(l, count - 1) * step);
      const bool in_place = frequencies_first() && count == columns;
      spectrum_->transform({signal + first * step, offsets, 1, constants().window_length, window_.data()},
                           constants().power == 1, work, in_place ? out + first : rows, in_place ? windows : columns);
      if (in_place) continue;
      for (int64_t k = 0; k < bins; ++k)
        for (int64_t l = 0; l < count; ++l)
          out[frequencies_first() ? k * windows + first + l : (first + l) * bins + k] = rows[k * columns + l];
    }
  }

 private:
  bool frequencies_first() const { return constants().layout == "ft"; }

  int64_t windows_of(int64_t samples) const {
    const SpectrogramArgs& a = constants();
    PENSTOCK_CHECK(samples > 0 && samples <= kMostSamples, ArgumentError, "a signal needs from 1 to {} samples, got {}",
                   kMostSamples, samples);
    PENSTOCK_CHECK(a.center_windows || samples >= a.window_length, ArgumentError,
                   "Signal is too short: {} samples, of which a window takes {}. center_windows=True pads it", samples,
                   a.window_length);
    return (a.center_windows ? samples : samples - a.window_length) / a.window_step + 1;
  }

  /// The signal with what windows need before and behind it.
  const float* padded(Sample& s) const {
    const SpectrogramArgs& a = constants();
    const auto* signal = s.in(0).tensor.as<const float>();
    if (!a.center_windows) return signal;
    const int64_t samples = s.in(0).tensor.shape.volume(), before = a.window_length / 2;
    const int64_t all = (windows_of(samples) - 1) * a.window_step + a.window_length;
    auto* made = s.scratch_array<float>(static_cast<size_t>(all));
    const auto beyond = [&](int64_t i) { return a.reflect_padding ? signal[reflected(i, samples)] : 0.f; };
    const int64_t front = std::min(before, all), whole = std::min(samples, all - front);
    for (int64_t i = 0; i < front; ++i) made[i] = beyond(i - before);
    std::copy_n(signal, whole, made + front);
    for (int64_t i = front + whole; i < all; ++i) made[i] = beyond(i - before);
    return made;
  }

  std::vector<float> window_;
  std::optional<kernels::Spectrum> spectrum_;
};

}  // namespace

[[gnu::cold]] void register_spectrogram(Registry& r) {
  using Args = SpectrogramArgs;
  r.add<Spectrogram>("spectrogram")
      .doc(
          "The frequencies of a signal window by window (short-time Fourier transform). With `center_windows` there "
          "are "
          "samples // window_step + 1 windows, otherwise (samples - window_length) // window_step + 1.")
      .input("signal", {}, "Float signal of one channel: all axes but one have the extent 1.")
      .holds("signal")
      .output("spectrogram", "Float tensor of nfft // 2 + 1 frequencies, from 0 on, and the windows, as `layout` says.")
      .arg("nfft", &Args::nfft, "Points of the transforms, `window_length` or more; windows go on with zeros.")
      .arg("window_length", &Args::window_length, "Samples of a window.")
      .arg("window_step", &Args::window_step, "Samples from the beginning of a window to that of the next.")
      .arg("window_fn", &Args::window_fn,
           "Factors of the samples of a window. Without it those of Hann: sin(pi * (i + 0.5) / window_length) ^ 2.")
      .arg("power", &Args::power, "2: the power of each frequency; 1: its magnitude.")
      .arg("center_windows", &Args::center_windows,
           "Centre windows at multiples of `window_step`; the signal is padded. False: all windows lie inside.")
      .arg("reflect_padding", &Args::reflect_padding, "Pad with the signal's mirror image. False: with zeros.")
      .arg("layout", &Args::layout, "\"ft\": a row for each frequency; \"tf\": a row for each window.")
      .example({{"window_length", 8}, {"window_step", 3}, {"nfft", 12}})
      .host_only(
          "sound is decoded on the host, and a spectrogram is no larger than its samples; cuFFT would have to be "
          "installed beside it");
}

}  // namespace penstock

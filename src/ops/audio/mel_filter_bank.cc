#include <algorithm>
#include <cmath>
#include <functional>

#include "core/check.h"
#include "kernels/bands/bands.h"
#include "ops/audio/signal.h"
#include "ops/axes.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct MelArgs {
  int64_t nfilter = 128;
  float sample_rate = 44100, freq_low = 0, freq_high = 0;
  bool normalize = true;
  std::string mel_formula = "slaney";
};

/// Hz to mel and back.
struct MelScale {
  std::function<double(double)> mel, hz;
};

/// m = 2595 log10(1 + f / 700), O'Shaughnessy's and HTK's.
MelScale htk_scale() {
  return {[](double hz) { return 2595 * std::log10(1 + hz / 700); },
          [](double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }};
}

/// Slaney's Auditory Toolbox: 15 mel for the first 1000 Hz, which follow evenly, then 27 for each factor of 6.4.
MelScale slaney_scale() {
  constexpr double kBreak = 1000, kMelPerHz = 3.0 / 200, kBreakMel = kBreak * kMelPerHz;
  const double step = std::log(6.4) / 27;
  return {[=](double hz) { return hz < kBreak ? hz * kMelPerHz : kBreakMel + std::log(hz / kBreak) / step; },
          [=](double mel) { return mel < kBreakMel ? mel / kMelPerHz : kBreak * std::exp((mel - kBreakMel) * step); }};
}

/// Filters for spectra of so many frequencies.
struct MelFilters {
  int64_t bins = -1;
  std::vector<float> weights;
  std::vector<kernels::Band> bands;
};

/// Triangles whose corners lie evenly on the mel scale; each begins at the middle of the one before.
void make_filters(const MelArgs& a, int64_t bins, MelFilters& made) {
  made = {.bins = bins};
  const MelScale scale = a.mel_formula == "htk" ? htk_scale() : slaney_scale();
  const double high = a.freq_high > 0 ? a.freq_high : a.sample_rate / 2.0;
  const double low_mel = scale.mel(a.freq_low), high_mel = scale.mel(high);
  const double hz_per_bin = bins > 1 ? a.sample_rate / 2.0 / static_cast<double>(bins - 1) : 0;
  const auto corner = [&](int64_t i) {
    return scale.hz(low_mel + (high_mel - low_mel) * static_cast<double>(i) / static_cast<double>(a.nfilter + 1));
  };
  std::vector<std::pair<int64_t, size_t>> places;  // first bin, place of the first weight
  for (int64_t m = 0; m < a.nfilter; ++m) {
    const double left = corner(m), middle = corner(m + 1), right = corner(m + 2);
    const double height = a.normalize ? 2 / (right - left) : 1;
    const int64_t first = hz_per_bin > 0 ? static_cast<int64_t>(std::ceil(left / hz_per_bin)) : 0;
    places.emplace_back(std::min(first, bins), made.weights.size());
    for (int64_t k = first; k < bins && hz_per_bin > 0; ++k) {
      const double hz = static_cast<double>(k) * hz_per_bin;
      if (hz >= right) break;
      const double part = hz < middle ? (hz - left) / (middle - left) : (right - hz) / (right - middle);
      made.weights.push_back(static_cast<float>(std::max(part, 0.0) * height));
    }
  }
  for (size_t m = 0; m < places.size(); ++m) {
    const size_t end = m + 1 < places.size() ? places[m + 1].second : made.weights.size();
    made.bands.push_back(
        {places[m].first, static_cast<int64_t>(end - places[m].second), made.weights.data() + places[m].second});
  }
}

class MelFilterBank final : public SampleOperator<MelArgs, MelFilters> {
 public:
  void setup() override {
    const MelArgs& a = constants();
    constexpr int64_t kMostFilters = int64_t{1} << 16;
    PENSTOCK_CHECK(a.nfilter > 0 && a.nfilter <= kMostFilters, ArgumentError,
                   "number of filters should be > 0: `nfilter` must lie in [1, {}], got {}", kMostFilters, a.nfilter);
    PENSTOCK_CHECK(std::isfinite(a.sample_rate) && a.sample_rate > 0, ArgumentError,
                   "sample rate should be > 0: `sample_rate` is {}", a.sample_rate);
    PENSTOCK_CHECK(std::isfinite(a.freq_low) && a.freq_low >= 0, ArgumentError, "freq_low should be >= 0, got {}",
                   a.freq_low);
    const float high = a.freq_high > 0 ? a.freq_high : a.sample_rate / 2;
    PENSTOCK_CHECK(
        !std::isnan(a.freq_high) && high > a.freq_low && high <= a.sample_rate, ArgumentError,
        "freq_high should be within the range (freq_low, sample_rate]: it is {}, freq_low {} and sample_rate "
        "{}",
        high, a.freq_low, a.sample_rate);
    PENSTOCK_CHECK(a.mel_formula == "slaney" || a.mel_formula == "htk", ArgumentError,
                   "Unsupported mel_formula value \"{}\". Supported values are: \"slaney\", \"htk\"", a.mel_formula);
  }
  void infer(Sample& s) const override {
    TensorDesc out = s.in(0).tensor;
    check_float(out);
    out.shape[axis(out)] = constants().nfilter;
    s.out(0).describe(out);
  }
  void run(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    const int64_t bins = in.shape[axis(in)];
    MelFilters& filters = state(s);
    if (filters.bins != bins) make_filters(constants(), bins, filters);
    const auto [outer, inner] = around_axis(in.shape, axis(in));
    for (int64_t i = 0; i < outer; ++i)
      kernels::multiply_bands(filters.bands, in.as<float>() + i * bins * inner, inner,
                              s.out(0).tensor.as<float>() + i * constants().nfilter * inner);
  }

 private:
  static int axis(const TensorDesc& in) {
    PENSTOCK_CHECK(in.shape.ndim() > 0, ArgumentError, "the input must have an axis of frequencies, got a scalar");
    return in.layout.view().empty() ? std::max(in.shape.ndim() - 2, 0) : axis_named('f', in.layout);
  }
};

}  // namespace

[[gnu::cold]] void register_mel_filter_bank(Registry& r) {
  r.add<MelFilterBank>("mel_filter_bank")
      .doc(
          "Sums the frequencies of spectra under triangular filters that follow evenly on the mel scale. The axis 'f' "
          "of the layout is that of frequencies; without a layout the last but one, or the only one.")
      .input("spectrogram", {}, "Float tensor with an axis of frequencies, evenly from 0 to sample_rate / 2.")
      .holds("spectrogram")
      .output("mel", "Float tensor of the same axes, with `nfilter` in the place of frequencies.")
      .arg("nfilter", &MelArgs::nfilter, "Number of filters.")
      .arg("sample_rate", &MelArgs::sample_rate, "Samples per second of the signal, in Hz.")
      .arg("freq_low", &MelArgs::freq_low, "Where the first filter begins, in Hz.")
      .arg("freq_high", &MelArgs::freq_high, "Where the last filter ends, in Hz. 0: at sample_rate / 2.")
      .arg("normalize", &MelArgs::normalize, "Filters have the area 1 (over Hz). False: the height 1.")
      .arg("mel_formula", &MelArgs::mel_formula,
           "\"slaney\": even up to 1 kHz, logarithmic above, as librosa has it; \"htk\": 2595 * log10(1 + f / 700).")
      .example({{"nfilter", 4}, {"sample_rate", 16000.0}})
      .host_only("spectrograms are made on the host; the filters make an eighth of their size of them");
}

}  // namespace penstock

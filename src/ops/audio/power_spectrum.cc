#include <algorithm>
#include <optional>

#include "core/check.h"
#include "kernels/fourier/spectrum.h"
#include "ops/audio/signal.h"
#include "ops/axes.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct PowerSpectrumArgs {
  std::optional<int64_t> nfft;
  int64_t power = 2, axis = -1;
};

/// Made for one length; signals of one length follow each other.
struct LastSpectrum {
  std::optional<kernels::Spectrum> spectrum;
};

class PowerSpectrum final : public SampleOperator<PowerSpectrumArgs, LastSpectrum> {
 public:
  void setup() override {
    const auto& [nfft, power, axis] = constants();
    PENSTOCK_CHECK(power == 1 || power == 2, ArgumentError,
                   "`power` should be either 2 for the power or 1 for the magnitude, got {}", power);
    PENSTOCK_CHECK(!nfft || (*nfft >= 0 && *nfft <= kernels::kMostFourierPoints), ArgumentError,
                   "`nfft` must lie in [1, {}], got {}", kernels::kMostFourierPoints, nfft.value_or(0));
  }
  void infer(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    check_float(in);
    PENSTOCK_CHECK(in.shape.ndim() > 0, ArgumentError, "the input must have an axis, got a scalar");
    const int64_t points = points_of(in);
    PENSTOCK_CHECK(points >= 1 && points <= kernels::kMostFourierPoints, ArgumentError,
                   "a transform of {} points cannot be made (from 1 to {} can): the input has the shape {}", points,
                   kernels::kMostFourierPoints, to_string(in.shape));
    PENSTOCK_CHECK(in.shape.volume() <= std::numeric_limits<int32_t>::max(), ArgumentError,
                   "an input of {} numbers is too large", in.shape.volume());
    TensorDesc out = in;
    out.shape[axis(in)] = points / 2 + 1;
    s.out(0).describe(out);
  }
  void run(Sample& s) const override {
    const TensorView &in = s.in(0).tensor, &out = s.out(0).tensor;
    std::optional<kernels::Spectrum>& spectrum = state(s).spectrum;
    if (!spectrum || spectrum->points() != points_of(in)) spectrum.emplace(points_of(in));
    const auto [outer, inner] = around_axis(in.shape, axis(in));
    const int64_t columns = spectrum->columns(), bins = spectrum->bins(), total = outer * inner;
    const int64_t extent = in.shape[axis(in)];
    auto* work = s.scratch_array<float>(spectrum->work_size());
    auto* rows = s.scratch_array<float>(static_cast<size_t>(bins * columns));
    auto* offsets = s.scratch_array<int32_t>(static_cast<size_t>(columns));
    for (int64_t first = 0; first < total; first += columns) {
      for (int64_t l = 0; l < columns; ++l) {
        const int64_t column = std::min(first + l, total - 1);
        offsets[l] = static_cast<int32_t>(column / inner * extent * inner + column % inner);
      }
      spectrum->transform({in.as<float>(), offsets, inner, std::min(extent, spectrum->points())},
                          constants().power == 1, work, rows, columns);
      for (int64_t l = 0; l < std::min(columns, total - first); ++l) {
        const int64_t column = first + l;
        float* to = out.as<float>() + column / inner * bins * inner + column % inner;
        for (int64_t k = 0; k < bins; ++k) to[k * inner] = rows[k * columns + l];
      }
    }
  }

 private:
  int axis(const TensorDesc& in) const { return axis_in(constants().axis, in.shape.ndim()); }
  int64_t points_of(const TensorDesc& in) const {
    const int64_t asked = constants().nfft.value_or(0);
    return asked > 0 ? asked : in.shape[axis(in)];
  }
};

}  // namespace

[[gnu::cold]] void register_power_spectrum(Registry& r) {
  r.add<PowerSpectrum>("power_spectrum")
      .doc("The power, or magnitude, of each frequency of signals along an axis.")
      .input("signal", {}, "Float tensor of any shape, of one axis or more.")
      .holds("signal")
      .output("spectrum", "Float tensor; along the axis it has nfft // 2 + 1 frequencies, from 0 on.")
      .arg("axis", &PowerSpectrumArgs::axis,
           "Number of the axis that is transformed; negative ones count from the end.")
      .arg("nfft", &PowerSpectrumArgs::nfft,
           "Points of the transform: signals are cut to so many samples, or go on with zeros. Without it, or with 0, "
           "there are as many as samples.")
      .arg("power", &PowerSpectrumArgs::power, "2: re * re + im * im; 1: its square root.")
      .devices({"cpu"})
      .host_only("DALI has it for the CPU alone; spectrogram and this share the host's transform")
      .differs("Transforms of 1 and 2 points work, too.");
}

}  // namespace penstock

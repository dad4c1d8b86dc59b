#include <cmath>
#include <limits>
#include <optional>

#include "core/check.h"
#include "kernels/sound/convert.h"
#include "kernels/sound/resample.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ResampleArgs {
  std::optional<float> in_rate, out_rate, scale;
  std::optional<int64_t> out_length;
  float quality = 50;
  std::optional<DType> dtype;
};

struct ResampleState {
  kernels::SoundResampler resampler;
};

void check_type(DType dtype) {
  PENSTOCK_CHECK(dtype != DType::kNone && dtype != DType::kBool && dtype != DType::kInt64 && dtype != DType::kUInt64 &&
                     dtype != DType::kBFloat16,
                 TypeError, "unsupported type: {}; use float, float16, float64 or an integer of up to 32 bits",
                 name_of(dtype));
}

class AudioResample final : public SampleOperator<ResampleArgs, ResampleState> {
 public:
  void setup() override {
    const bool rates = spec().given("in_rate") || spec().given("out_rate"), scale = spec().given("scale"),
               length = spec().given("out_length");
    PENSTOCK_CHECK(spec().given("in_rate") == spec().given("out_rate"), ArgumentError,
                   "The parameters `in_rate` and `out_rate` must be specified together");
    PENSTOCK_CHECK(rates + scale + length > 0, ArgumentError,
                   "No resampling factor specified! Please supply either `scale`, `out_length`, or `in_rate` and "
                   "`out_rate`");
    PENSTOCK_CHECK(rates + scale + length == 1, ArgumentError,
                   "The sampling rates, `scale` and `out_length` cannot be used together");
    if (constants().dtype) check_type(*constants().dtype);
    kernels::lobes_of(constants().quality);
  }
  void infer(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    check_type(in.dtype);
    PENSTOCK_CHECK(in.shape.ndim() == 1 || in.shape.ndim() == 2, ArgumentError,
                   "the input must be samples, or samples x channels, got {}", to_string(in.shape));
    TensorDesc out = in;
    out.dtype = constants().dtype.value_or(in.dtype);
    out.shape[0] = length(args(s), in.shape[0], state(s));
    PENSTOCK_CHECK(out.shape[0] == 0 || in.shape[0] > 0, ArgumentError,
                   "Cannot produce a non-empty signal from an empty input: {} samples are asked for", out.shape[0]);
    s.out(0).describe(out);
  }
  void run(Sample& s) const override {
    const TensorView &in = s.in(0).tensor, &out = s.out(0).tensor;
    const int64_t count = out.shape.volume();
    if (count == 0) return;
    const kernels::SoundResampler& resampler = state(s).resampler;
    auto* room = s.scratch_array<float>(static_cast<size_t>(in.shape[0] + 2 * resampler.margin()));
    const int64_t channels = in.shape.ndim() == 2 ? in.shape[1] : 1;
    float* made = out.dtype == DType::kFloat ? out.as<float>() : s.scratch_array<float>(static_cast<size_t>(count));
    kernels::resample_channels(resampler, in.dtype, in.data, in.shape[0], channels, room, made, out.shape[0]);
    if (out.dtype != DType::kFloat) kernels::sound_from_float(made, count, out.dtype, out.data);
  }

 private:
  /// Prepares the change of rate. @return samples that come of `n`
  int64_t length(const ResampleArgs& a, int64_t n, ResampleState& kept) const {
    double in_rate = 1, out_rate = 1;
    if (a.out_length) {
      PENSTOCK_CHECK(*a.out_length >= 0 && *a.out_length < std::numeric_limits<int32_t>::max(), ArgumentError,
                     "`out_length` must not be negative, nor beyond memory, got {}", *a.out_length);
      in_rate = static_cast<double>(n), out_rate = static_cast<double>(*a.out_length);
    } else if (a.scale) {
      PENSTOCK_CHECK(std::isfinite(*a.scale) && *a.scale >= 0, ArgumentError,
                     "The scaling factor must be non-negative. Got `scale`: {}", *a.scale);
      out_rate = *a.scale;
    } else {
      in_rate = *a.in_rate, out_rate = *a.out_rate;
      PENSTOCK_CHECK(std::isfinite(in_rate) && in_rate > 0, ArgumentError,
                     "Input sampling rates must be positive. Got `in_rate`: {}", in_rate);
      PENSTOCK_CHECK(std::isfinite(out_rate) && out_rate >= 0, ArgumentError,
                     "Output sampling rates must not be negative. Got `out_rate`: {}", out_rate);
    }
    if (out_rate == 0 || n == 0) return a.out_length.value_or(0);
    kept.resampler.prepare(in_rate, out_rate, constants().quality);
    return a.out_length ? *a.out_length : kept.resampler.length_of(n);
  }
};

}  // namespace

[[gnu::cold]] void register_audio_resample(Registry& r) {
  using Args = ResampleArgs;
  r.add<AudioResample>("audio_resample")
      .doc(
          "Sound at another rate, by a sinc with a window of Hann. Give `scale`, `out_length`, or both rates. As in "
          "DALI, sounds above half of a lower rate are not filtered out.")
      .input("sound", {}, "Samples, or samples x channels; floating types or integers of up to 32 bits.")
      .holds("signal")
      .output("resampled", "Tensor of the same axes: ceil(samples * out_rate / in_rate) samples.")
      .arg("in_rate", &Args::in_rate, "Samples per second of the input; any unit goes that `out_rate` has, too.",
           kPerSample)
      .arg("out_rate", &Args::out_rate, "Samples per second of the output.", kPerSample)
      .arg("scale", &Args::scale, "Samples of the output for each of the input.", kPerSample)
      .arg("out_length", &Args::out_length, "Number of samples of the output.", kPerSample)
      .arg("quality", &Args::quality, "From 0 (3 lobes of the sinc) by way of 50 (16 lobes) to 100 (64 lobes).")
      .arg("dtype", &Args::dtype,
           "Type of the output, by default that of the input. Integers fill their range: 1.0 is their largest number, "
           "-1.0 the 0 of unsigned ones.")
      .alias("experimental.audio_resample")
      .example({{"scale", 0.75}})
      .host_only("sound is decoded on the host, which resamples it before a copy")
      .differs(
          "The filter's weights are those of the formula to 0.000002, where DALI interpolates coarser: results differ "
          "by up to "
          "0.001 of full scale.");
}

}  // namespace penstock

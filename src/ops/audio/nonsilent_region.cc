#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "core/check.h"
#include "core/dispatch.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct NonsilentArgs {
  float cutoff_db = -60;
  int64_t window_length = 2048;
  std::optional<float> reference_power;
};

template <class T>
double square(T x) {
  return static_cast<double>(x) * static_cast<double>(x);
}

/// The largest sum of the squares of `window` neighbours.
template <class T>
double largest_sum(const T* in, int64_t count, int64_t window) {
  double sum = 0;
  for (int64_t i = 0; i < window; ++i) sum += square(in[i]);
  double largest = sum;
  for (int64_t i = window; i < count; ++i) {
    sum += square(in[i]) - square(in[i - window]);
    largest = std::max(largest, sum);
  }
  return largest;
}

/// How many windows come before the first whose sum of squares is not below `least`; -1 where there is none. With a
/// step of -1 the signal goes backwards.
template <class T>
int64_t silent_windows(const T* in, int64_t step, int64_t count, int64_t window, double least) {
  double sum = 0;
  for (int64_t i = 0; i < window; ++i) sum += square(in[i * step]);
  for (int64_t i = window;; ++i) {
    if (sum >= least) return i - window;
    if (i == count) return -1;
    sum += square(in[i * step]) - square(in[(i - window) * step]);
  }
}

/// Whether no number is infinite or NaN. A loop over bits, which compilers make vectors of.
bool all_finite(const float* in, int64_t count) {
  constexpr uint32_t kExponent = 0x7F800000;
  uint32_t bad = 0;
  for (int64_t i = 0; i < count; ++i) bad |= (std::bit_cast<uint32_t>(in[i]) & kExponent) == kExponent;
  return bad == 0;
}
bool all_finite(const double* in, int64_t count) {
  return std::all_of(in, in + count, [](double x) { return std::isfinite(x); });
}

class NonsilentRegion final : public SampleOperator<NonsilentArgs> {
 public:
  void setup() override {
    PENSTOCK_CHECK(!constants().reference_power || positive(*constants().reference_power), ArgumentError,
                   "`reference_power` has to be positive. Got: {}", *constants().reference_power);
  }
  void infer(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    const NonsilentArgs& a = args(s);
    PENSTOCK_CHECK(in.shape.ndim() == 1, ArgumentError, "the input must be a signal of one axis, got {}",
                   to_string(in.shape));
    PENSTOCK_CHECK(in.shape[0] <= std::numeric_limits<int32_t>::max(), ArgumentError,
                   "a signal of {} samples is too long", in.shape[0]);
    PENSTOCK_CHECK(a.window_length > 0, ArgumentError, "`window_length` must be positive, got {}", a.window_length);
    PENSTOCK_CHECK(!std::isnan(a.cutoff_db), ArgumentError, "`cutoff_db` must be a number, got {}", a.cutoff_db);
    PENSTOCK_CHECK(!a.reference_power || positive(*a.reference_power), ArgumentError,
                   "`reference_power` has to be positive. Got: {}", *a.reference_power);
    for (int i = 0; i < 2; ++i) s.out(i).describe({.dtype = DType::kInt32, .shape = {}, .layout = {}});
  }
  void run(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    dispatch_among<float, int16_t, int32_t, uint8_t, int8_t, uint16_t, uint32_t, int64_t, uint64_t, double>(
        in.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          find(s, in.as<T>(), in.shape[0]);
        });
  }

 private:
  static bool positive(float power) { return std::isfinite(power) && power > 0; }

  template <class T>
  void find(Sample& s, const T* in, int64_t count) const {
    int64_t begin = 0, length = 0;
    const int64_t window = std::min(args(s).window_length, count);
    if (count > 0) {
      check_finite(in, count);
      const double least = least_sum(s, in, count, window);
      const int64_t before = silent_windows(in, 1, count, window, least);
      if (before >= 0) {
        int64_t behind = silent_windows(in + count - 1, -1, count, window, least);
        if (behind < 0) behind = count - window - before;  // sums from the other end are rounded otherwise
        begin = before, length = count - before - behind;
      }
    }
    *s.out(0).tensor.as<int32_t>() = static_cast<int32_t>(begin);
    *s.out(1).tensor.as<int32_t>() = static_cast<int32_t>(length);
  }

  /// The sum of squares of a window that is just not silent.
  template <class T>
  double least_sum(const Sample& s, const T* in, int64_t count, int64_t window) const {
    const std::optional<float>& power = args(s).reference_power;
    const double reference =
        power ? static_cast<double>(*power) * static_cast<double>(window) : largest_sum(in, count, window);
    return reference * std::pow(10.0, static_cast<double>(args(s).cutoff_db) / 10);
  }

  template <class T>
  static void check_finite(const T* in, int64_t count) {
    if constexpr (std::is_floating_point_v<T>) {
      if (all_finite(in, count)) return;
      const auto bad = std::find_if(in, in + count, [](T x) { return !std::isfinite(x); }) - in;
      fail<DataError>("the signal is {} at sample {}, which no power follows from", in[bad], bad);
    }
  }
};

}  // namespace

[[gnu::cold]] void register_nonsilent_region(Registry& r) {
  r.add<NonsilentRegion>("nonsilent_region")
      .doc(
          "Where a signal begins and ends to be louder than silence: from the first window whose mean power is not "
          "below the cutoff to the end of the last one. Zeros alone count as loud, since no power is below theirs.")
      .input("signal", {}, "Signal of one axis; float or integers.")
      .holds("signal")
      .output("begin", "int32 scalar: the first sample; 0 where all is silent.")
      .output("length", "int32 scalar: the number of samples; 0 where all is silent.")
      .arg("cutoff_db", &NonsilentArgs::cutoff_db, "Mean power in decibels above the reference below which is silence.",
           kPerSample)
      .arg("window_length", &NonsilentArgs::window_length, "Samples of a window; a shorter signal is one window.",
           kPerSample)
      .arg("reference_power", &NonsilentArgs::reference_power,
           "The power of 0 dB. Without it that is the largest mean power of a window.", kPerSample)
      .ignored("reset_interval", ArgType::kInt, "Sums have double precision, which needs no reset.")
      .host_only("two numbers, which the operator that cuts needs on the host; DALI computes them there, too")
      .differs("Any `window_length` goes, and float64; NaN and infinity are refused with the sample's number.");
}

}  // namespace penstock

// Sound at another rate: samples of the signal between the given ones, by a windowed sinc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <penstock/dtype.h>

namespace penstock::kernels {

/// How much of the signal around an output sample decides about it. DALI's filter has the width of the input's samples
/// at all rates: at lower rates what lies above half of the new one is not filtered out.
class SoundResampler {
 public:
  SoundResampler() = default;
  /// Prepares the change from one rate to another; does nothing where it is prepared already.
  /// @param quality  in [0, 100]: 3 to 64 lobes of the sinc on either side
  /// @throws ArgumentError for rates or a quality that there are not
  void prepare(double in_rate, double out_rate, double quality);

  /// Samples that come of `n`. @throws ArgumentError where they are more than memory holds
  int64_t length_of(int64_t n) const;
  /// Zeros that lie on either side of the input.
  int64_t margin() const { return 2 * lobes_; }
  /// Writes out[i * stride]. @param in  the first sample; margin() zeros lie before it and behind the last one
  void run(const float* in, int64_t n, float* out, int64_t length, int64_t stride) const;

 private:
  void run_whole(const float* in, float* out, int64_t length, int64_t stride) const;
  void run_any(const float* in, int64_t n, float* out, int64_t length, int64_t stride) const;

  double in_rate_ = 0, out_rate_ = 0;
  int64_t lobes_ = 0;
  int64_t up_ = 0, down_ = 0;   ///< the rates' ratio in whole numbers, out to in; 0 where it is none of small ones
  std::vector<float> weights_;  ///< of the `up_` places between two samples, where `up_` is not 0
  std::vector<float> fine_;     ///< of kPlaces + 1 places, between which weights are interpolated; for any other ratio
};

/// Resamples channels that lie side by side, of any type that sound_to_float() takes, to `length` samples each.
/// @param room  n + 2 * margin() floats to work in
void resample_channels(const SoundResampler& resampler, DType type, const std::byte* in, int64_t n, int64_t channels,
                       float* room, float* out, int64_t length);

/// Lobes of the sinc on either side. @throws ArgumentError outside of [0, 100]
int64_t lobes_of(double quality);

}  // namespace penstock::kernels

#include "kernels/sound/decode.h"

#include <cmath>
#include <utility>

#include "core/check.h"
#include "kernels/sound/convert.h"

namespace penstock::kernels {
namespace {

/// Writes the mean of all channels to the front.
void mix(float* samples, int64_t frames, int channels) {
  const float share = 1.f / static_cast<float>(channels);
  for (int64_t i = 0; i < frames; ++i) {
    float sum = 0;
    for (int c = 0; c < channels; ++c) sum += samples[i * channels + c];
    samples[i] = sum * share;
  }
}

}  // namespace

void check_request(const SoundRequest& request) {
  codec::sound::check_library();
  PENSTOCK_CHECK(std::isfinite(request.rate) && request.rate >= 0, ArgumentError,
                 "`sample_rate` must be positive and finite, or 0 for that of the file, got {}", request.rate);
  PENSTOCK_CHECK(request.dtype == DType::kFloat || request.dtype == DType::kInt16 || request.dtype == DType::kInt32,
                 ArgumentError, "unsupported output type: {}; use FLOAT, INT16 or INT32", name_of(request.dtype));
  lobes_of(request.quality);
}

void SoundDecoding::open(codec::sound::SoundFile file, const SoundRequest& request) {
  file_ = std::move(file);
  request_ = request;
  take(0, file_.frames());
}

Shape SoundDecoding::shape() {
  length_ = end_ - begin_;
  if (resamples()) {
    resampler_.prepare(file_.rate(), request_.rate, request_.quality);
    length_ = resampler_.length_of(length_);
  }
  return request_.downmix ? Shape{length_} : Shape{length_, file_.channels()};
}

void SoundDecoding::decode(Sample& s, std::byte* out) {
  if (resamples() || mixes() || (request_.dtype != DType::kFloat && file_.floating()))
    decode_through_floats(s, out);
  else
    file_.read(begin_, end_ - begin_, request_.dtype, out);
  file_ = {};
}

void SoundDecoding::decode_through_floats(Sample& s, std::byte* out) {
  const int64_t frames = end_ - begin_, channels = mixes() ? 1 : file_.channels();
  auto* samples = s.scratch_array<float>(static_cast<size_t>(frames * file_.channels()));
  file_.read(begin_, frames, DType::kFloat, reinterpret_cast<std::byte*>(samples));
  if (mixes()) mix(samples, frames, file_.channels());
  if (resamples()) {
    auto* room = s.scratch_array<float>(static_cast<size_t>(frames + 2 * resampler_.margin()));
    const auto count = static_cast<size_t>(length_ * channels);
    float* made = request_.dtype == DType::kFloat ? reinterpret_cast<float*>(out) : s.scratch_array<float>(count);
    resample_channels(resampler_, DType::kFloat, reinterpret_cast<const std::byte*>(samples), frames, channels, room,
                      made, length_);
    samples = made;
  }
  if (reinterpret_cast<std::byte*>(samples) != out) sound_from_float(samples, length_ * channels, request_.dtype, out);
}

}  // namespace penstock::kernels

#include "kernels/sound/decode.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"
#include "kernels/sound/convert.h"

namespace penstock::kernels {

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

void SoundDecoding::read_floats() {
  samples_.resize(static_cast<size_t>((end_ - begin_) * file_.channels()));
  file_.read(begin_, end_ - begin_, DType::kFloat, reinterpret_cast<std::byte*>(samples_.data()));
}

/// The mean of all channels.
void SoundDecoding::mix() {
  const auto channels = static_cast<size_t>(file_.channels());
  const size_t frames = samples_.size() / channels;
  const float share = 1.f / static_cast<float>(channels);
  for (size_t i = 0; i < frames; ++i) {
    float sum = 0;
    for (size_t c = 0; c < channels; ++c) sum += samples_[i * channels + c];
    samples_[i] = sum * share;
  }
  samples_.resize(frames);
}

void SoundDecoding::decode(std::byte* out) {
  const int channels = request_.downmix ? 1 : file_.channels();
  if (!resamples() && !mixes() && (request_.dtype == DType::kFloat || !file_.floating())) {
    file_.read(begin_, end_ - begin_, request_.dtype, out);
    file_ = {};
    return;
  }
  read_floats();
  if (mixes()) mix();
  if (resamples()) {
    resampled_.resize(static_cast<size_t>(length_ * channels));
    resample_channels(resampler_, DType::kFloat, reinterpret_cast<const std::byte*>(samples_.data()), end_ - begin_,
                      channels, channel_, resampled_.data(), length_);
    std::swap(samples_, resampled_);
  }
  sound_from_float(samples_.data(), length_ * channels, request_.dtype, out);
  file_ = {};
}

}  // namespace penstock::kernels

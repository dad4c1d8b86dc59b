#include "kernels/neighbourhood/filter.h"

#include <algorithm>

#include "kernels/neighbourhood/correlate.h"
#include "kernels/resample/lines.h"

namespace penstock::kernels {

void WindowFilter::begin(const WindowAxes& axes, int64_t channels, Border border, float fill, DType in, DType out) {
  axes_ = axes, channels_ = channels, out_ = out;
  WindowAxes together = axes;  // rows that one call of correlate_rows() sees
  together[1].taps += kCorrelatedRows - 1;
  together[1].wanted -= kCorrelatedRows - 1;
  rows_.begin(together, channels, border, fill, in, 0);
  sources_.resize(static_cast<size_t>(axes[0].taps) * static_cast<size_t>(together[1].taps));
  line_.resize(static_cast<size_t>(axes[2].wanted * channels) * kCorrelatedRows);
}

void WindowFilter::run(const std::byte* in, const float* weights, std::byte* out) {
  const auto& [az, ay, ax] = axes_;
  const auto elements = static_cast<size_t>(ax.wanted * channels_);
  rows_.read(in);
  for (int32_t z = 0; z < az.wanted; ++z)
    for (int32_t y = 0; y < ay.wanted;) {
      const int made = ay.wanted - y >= kCorrelatedRows ? kCorrelatedRows : 1;
      size_t source = 0;
      for (int32_t k = 0; k < az.taps; ++k)
        for (int32_t j = 0; j < ay.taps + made - 1; ++j)
          sources_[source++] = rows_.row(az.first() + z + k, ay.first() + y + j);
      float* lines[kCorrelatedRows];
      for (int r = 0; r < kCorrelatedRows; ++r)
        lines[r] =
            (out_ == DType::kFloat ? reinterpret_cast<float*>(out) : line_.data()) + static_cast<size_t>(r) * elements;
      correlate_rows({.rows = sources_.data(),
                      .weights = weights,
                      .planes = az.taps,
                      .height = ay.taps,
                      .width = ax.taps,
                      .channels = static_cast<size_t>(channels_),
                      .elements = elements},
                     made, lines);
      store(elements * static_cast<size_t>(made), out);
      out += elements * static_cast<size_t>(made) * size_of(out_);
      y += made;
    }
}

void WindowFilter::store(size_t count, std::byte* out) const {
  if (out_ == DType::kFloat) return;  // made in place
  if (out_ == DType::kUInt8 || out_ == DType::kInt16 || out_ == DType::kUInt16)
    narrow_line(out_)(line_.data(), count, out);
  else
    convert(DType::kFloat, reinterpret_cast<const std::byte*>(line_.data()), out_, out, static_cast<int64_t>(count));
}

}  // namespace penstock::kernels

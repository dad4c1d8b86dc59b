#include "kernels/convolve/convolve.h"

#include <algorithm>

#include "kernels/resample/lines.h"

namespace penstock::kernels {

int64_t reflected(int64_t i, int64_t extent) {
  if (extent == 1) return 0;
  while (i < 0 || i >= extent) i = i < 0 ? -i : 2 * extent - 2 - i;
  return i;
}

Range reached(Range wanted, int64_t radius, int64_t extent) {
  return {std::max<int64_t>(wanted.begin - radius, 0), std::min(wanted.end + radius, extent)};
}

namespace {

/// The sources of a result's pixel `at` along an axis: addresses of what `locate` has for each pixel in the window.
template <class Locate>
void gather(const ConvolveAxis& axis, int64_t at, std::vector<const std::byte*>& sources, Locate&& locate) {
  sources.resize(axis.window.size());
  for (size_t k = 0; k < sources.size(); ++k)
    sources[k] = locate(reflected(at + static_cast<int64_t>(k) - axis.radius(), axis.extent) - axis.held.begin);
}

}  // namespace

/// The planes behind the window along z become one, in `plane_`.
void Convolution::make_plane(DType in_type, const std::byte* in, const ConvolveAxes& axes, int64_t z) {
  const size_t plane = static_cast<size_t>(axes[1].held.size() * axes[2].held.size() * channels_);
  plane_.resize(plane);
  const auto bytes = static_cast<int64_t>(plane * size_of(in_type));
  gather(axes[0], z, rows_, [&](int64_t source) { return in + source * bytes; });
  combine_lines(in_type)(rows_.data(), axes[0].window.data(), static_cast<int>(rows_.size()), plane, plane_.data());
}

/// Calls emit(line number, floats) for each line of the result.
template <class Emit>
void Convolution::each_line(DType in_type, const std::byte* in, const ConvolveAxes& axes, Emit&& emit) {
  const auto& [az, ay, ax] = axes;
  const auto held = static_cast<size_t>(ax.held.size() * channels_),
             margin = static_cast<size_t>(ax.radius() * channels_);
  const auto line_bytes = [&](DType dtype) { return static_cast<int64_t>(held * size_of(dtype)); };
  const int64_t plane_bytes = ay.held.size() * line_bytes(in_type);
  // A line with mirrored pixels on both sides: [wanted.begin - radius, wanted.end + radius).
  padded_.resize(line_ + 2 * margin + held + kLinePadding);
  made_.resize(line_ + kLinePadding);
  float* combined = padded_.data() + line_ + 2 * margin;
  for (int64_t z = az.wanted.begin, number = 0; z < az.wanted.end; ++z) {
    DType type = in_type;
    const std::byte* plane = in + (z - az.held.begin) * plane_bytes;
    if (!az.copies()) {
      make_plane(in_type, in, axes, z);
      type = DType::kFloat, plane = reinterpret_cast<const std::byte*>(plane_.data());
    }
    const CombineLines down = combine_lines(type), along = combine_lines(DType::kFloat);
    for (int64_t y = ay.wanted.begin; y < ay.wanted.end; ++y, ++number) {
      gather(ay, y, rows_, [&](int64_t row) { return plane + row * line_bytes(type); });
      down(rows_.data(), ay.window.data(), static_cast<int>(rows_.size()), held, combined);
      float* to = padded_.data();
      for (int64_t x = ax.wanted.begin - ax.radius(); x < ax.wanted.end + ax.radius();) {
        if (x < ax.held.begin || x >= ax.held.end) {
          to = std::copy_n(combined + (reflected(x, ax.extent) - ax.held.begin) * channels_, channels_, to);
          ++x;
          continue;
        }
        const int64_t end = std::min(ax.held.end, ax.wanted.end + ax.radius());
        to = std::copy(combined + (x - ax.held.begin) * channels_, combined + (end - ax.held.begin) * channels_, to);
        x = end;
      }
      if (ax.copies()) {
        emit(number, padded_.data());
        continue;
      }
      rows_.resize(ax.window.size());
      for (size_t k = 0; k < rows_.size(); ++k)
        rows_[k] = reinterpret_cast<const std::byte*>(padded_.data() + k * static_cast<size_t>(channels_));
      along(rows_.data(), ax.window.data(), static_cast<int>(rows_.size()), line_, made_.data());
      emit(number, made_.data());
    }
  }
}

void Convolution::begin(const ConvolveAxes& axes, int64_t channels) {
  channels_ = channels;
  line_ = static_cast<size_t>(axes[2].wanted.size() * channels);
  lines_ = static_cast<size_t>(axes[0].wanted.size() * axes[1].wanted.size());
  sum_.assign(line_ * lines_, 0.f);
}

void Convolution::add(DType in_type, const std::byte* in, const ConvolveAxes& axes) {
  each_line(in_type, in, axes, [&](int64_t number, const float* line) {
    float* to = sum_.data() + static_cast<size_t>(number) * line_;
    for (size_t i = 0; i < line_; ++i) to[i] += line[i];
  });
}

void Convolution::store(DType out_type, std::byte* out) const { narrow_line(out_type)(sum_.data(), sum_.size(), out); }

void Convolution::run(DType in_type, const std::byte* in, const ConvolveAxes& axes, int64_t channels, DType out_type,
                      std::byte* out) {
  channels_ = channels;
  line_ = static_cast<size_t>(axes[2].wanted.size() * channels);
  const NarrowLine narrow = narrow_line(out_type);
  const auto bytes = static_cast<int64_t>(line_ * size_of(out_type));
  each_line(in_type, in, axes, [&](int64_t number, const float* line) { narrow(line, line_, out + number * bytes); });
}

}  // namespace penstock::kernels

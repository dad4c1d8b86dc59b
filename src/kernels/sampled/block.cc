#include "kernels/sampled/block.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/sampled/body.h"

namespace penstock::kernels {
namespace {

/// What the elements around a position are.
enum class Around { kSource, kFill, kBoth };

Around around(const SampledSource& source, const SampledBlock& block, size_t i) {
  const int32_t other = source.sampling == Sampling::kLinear ? 1 : 0;
  bool all = true;
  for (int axis = 0; axis < 2; ++axis) {
    const int32_t low = block.low[axis][i], last = source.size[axis] - 1;
    if (low < -other || low > last) return source.beyond == Border::kConstant ? Around::kFill : Around::kBoth;
    all = all && low >= 0 && low + other <= last;
  }
  return all ? Around::kSource : Around::kBoth;
}

/// Positions [begin, end), by the body that GPUs run, too.
template <class In, class Out>
void sample_each(const SampledSource& source, int32_t frame, const SampledBlock& block, size_t begin, size_t end,
                 Out* out) {
  for (size_t i = begin; i < end; ++i, out += source.channels) {
    const SampledTap across{block.low[0][i], block.weight[0][i]}, down{block.low[1][i], block.weight[1][i]};
    sample_taps<PlainLoads, In, Out, false>(source, frame, {{across, down, {}}}, out);
  }
}

template <class Out>
void fill_each(const SampledSource& source, size_t count, Out* out) {
  for (size_t i = 0; i < count; ++i)
    for (int32_t channel = 0; channel < source.channels; ++channel)
      *out++ = convert_sat<Out>(source.fill ? source.fill[channel] : 0.0f);
}

/// The rows and columns of a frame that are held, for the vectors' loop, where that can address them.
SampledBytes bytes_of(const SampledSource& source, int32_t frame) {
  const int64_t stride = int64_t{source.extent[0]} * source.channels, size = stride * source.extent[1];
  const auto held = [&](int axis) {
    return SampledSpan{source.held[axis], source.held[axis] + source.extent[axis] - 1};
  };
  return {static_cast<const uint8_t*>(source.in) + frame * size, static_cast<int32_t>(stride), held(0), held(1)};
}

bool has_vector_loop(const SampledSource& source) {
  return source.sampling == Sampling::kLinear && source.channels == 3 && source.extent[0] >= 2 &&
         int64_t{source.extent[0]} * source.extent[1] * 3 <= std::numeric_limits<int32_t>::max();
}

/// Distances in elements between the four around a position.
struct Steps {
  int64_t first = 0, right = 0, down = 0;
};

/// Of a position whose elements the source has, or takes from its border.
Steps steps_of(const SampledSource& source, int32_t frame, const SampledBlock& block, size_t i) {
  int64_t low[2], step[2];
  for (int axis = 0; axis < 2; ++axis) {
    const int32_t least = source.held[axis], most = least + source.extent[axis] - 1;
    low[axis] = std::clamp(block.low[axis][i], least, most) - least;
    step[axis] = std::clamp(block.low[axis][i] + 1, least, most) - least - low[axis];
  }
  const int64_t row = int64_t{source.extent[0]} * source.channels;
  return {(int64_t{frame} * source.extent[1] + low[1]) * row + low[0] * source.channels, step[0] * source.channels,
          step[1] * row};
}

/// Positions whose elements the source has. `kChannels` 0: as many as the source says.
template <int32_t kChannels, class In, class Out>
void mix_each(const SampledSource& source, int32_t frame, const SampledBlock& block, size_t begin, size_t end,
              Out* out) {
  const int32_t channels = kChannels ? kChannels : source.channels;
  for (size_t i = begin; i < end; ++i, out += channels) {
    const auto [first, right, down] = steps_of(source, frame, block, i);
    const In* const at = static_cast<const In*>(source.in) + first;
    const float across = block.weight[0][i], below = block.weight[1][i];
    const auto value = [&](int64_t offset) { return static_cast<float>(at[offset]); };
    for (int32_t channel = 0; channel < channels; ++channel) {
      const float upper = between(value(channel), value(channel + right), across);
      const float lower = between(value(channel + down), value(channel + down + right), across);
      out[channel] = convert_sat<Out>(between(upper, lower, below));
    }
  }
}

template <int32_t kChannels, class In, class Out>
void copy_each(const SampledSource& source, int32_t frame, const SampledBlock& block, size_t begin, size_t end,
               Out* out) {
  const int32_t channels = kChannels ? kChannels : source.channels;
  for (size_t i = begin; i < end; ++i, out += channels) {
    const In* const at = static_cast<const In*>(source.in) + steps_of(source, frame, block, i).first;
    for (int32_t channel = 0; channel < channels; ++channel) out[channel] = convert_sat<Out>(at[channel]);
  }
}

template <class In, class Out>
void sample_inside(const SampledSource& source, int32_t frame, const SampledBlock& block, size_t begin, size_t end,
                   Out* out) {
  if constexpr (std::is_same_v<In, uint8_t> && std::is_same_v<Out, uint8_t>)
    if (has_vector_loop(source)) return mix_bytes3(bytes_of(source, frame), block, begin, end, out);
  const auto with = [&]<int32_t kChannels>(std::integral_constant<int32_t, kChannels>) {
    if (source.sampling == Sampling::kLinear)
      mix_each<kChannels, In>(source, frame, block, begin, end, out);
    else
      copy_each<kChannels, In>(source, frame, block, begin, end, out);
  };
  if (source.channels == 1) return with(std::integral_constant<int32_t, 1>());
  if (source.channels == 3) return with(std::integral_constant<int32_t, 3>());
  with(std::integral_constant<int32_t, 0>());
}

template <class In, class Out>
void sample_all(const SampledSource& source, int32_t frame, const SampledBlock& block, size_t count, bool inside,
                Out* out) {
  if (inside) return sample_inside<In>(source, frame, block, 0, count, out);
  for (size_t begin = 0, end = 0; begin < count; begin = end) {
    const Around same = around(source, block, begin);
    while (++end < count && around(source, block, end) == same) {
    }
    Out* const first = out + begin * static_cast<size_t>(source.channels);
    if (same == Around::kFill)
      fill_each(source, end - begin, first);
    else if (same == Around::kSource)
      sample_inside<In>(source, frame, block, begin, end, first);
    else
      sample_each<In>(source, frame, block, begin, end, first);
  }
}

}  // namespace

void sample_block(const SampledSource& source, int32_t frame, SampledBlock& block, size_t count, DType in, DType out,
                  void* to) {
  bool inside = true;
  for (int axis = 0; axis < 2; ++axis) {
    const SampledSpan low = find_taps(source.sampling, axis, count, block);
    inside = inside && low.least >= 0 && low.most + 1 < source.size[axis];
  }
  inside = inside || source.clamp;
  dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float>(in, [&]<class In>(Tag<In> from) {
    const auto all = [&]<class Out>(Tag<Out>) {
      sample_all<In>(source, frame, block, count, inside, static_cast<Out*>(to));
    };
    if (in == out) return all(from);
    dispatch_among<float>(out, all);
  });
}

}  // namespace penstock::kernels
